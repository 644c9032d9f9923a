import {
  destinationName,
  serverAttributes,
  spanError,
  spanKinds,
  type TracingApi,
} from '../../publisher/tracing-api.ts'
import type { Outcome } from '../decide/decide-outcome.ts'
import type { HandlerContext } from '../handler.ts'
import type { ConsumedMessage } from '../run/consumed-message.ts'
import type { Failure } from '../run/handler-result.ts'
import { consumerHeaders } from '../settle/consumer-headers.ts'

type RunFacts = Pick<HandlerContext, 'queue' | 'attempt'> & { readonly deliveryTag: number }

/** Makes the spans of a consumer, one per attempt. */
export interface RunTracing {
  begin(message: ConsumedMessage, facts: RunFacts): RunSpan
}

export interface RunSpan {
  /** Its own context as W3C writes it, to be sent along with a copy. */
  readonly traceparent: string | undefined
  /** Does a task as a part of the span: what it starts are its children. */
  within<Result>(task: () => Result): Result
  /** The attempt is over and its outcome decided. */
  end(outcome: Outcome): void
}

/**
 * The context of the producer stays in the headers through retries and the dead-letter queue, so that all attempts are
 * below the span that published. Each is linked to it, and to the attempt before it if a publish brought the message
 * here: a rejected message comes back unchanged and cannot carry a note.
 */
export function createRunTracing(
  api: TracingApi,
  endpoint: () => Parameters<typeof serverAttributes>[0],
): RunTracing {
  const tracer = api.trace.getTracer('warrenmq')
  return {
    begin: (message, facts) => {
      const headers = textHeaders(message)
      const producer = extract(api, headers)
      const links = [producer, lastAttempt(api, headers)]
        .map((context) => context && api.trace.getSpanContext(context as never))
        .filter((context) => context !== undefined && context !== null)
        .map((context) => ({ context: context as never }))
      const attributes = { ...attributesOf(message, facts), ...serverAttributes(endpoint()) }
      const options = { kind: spanKinds.consumer, attributes, links }
      const span = tracer.startSpan(`process ${facts.queue}`, options, producer as never)
      const own = api.trace.setSpan(producer as never, span as never)
      const carrier: Record<string, string> = {}
      api.propagation.inject(own as never, carrier)
      return {
        traceparent: carrier.traceparent,
        within: (task) => api.context.with(own as never, task),
        end: (outcome) => {
          span.setAttribute('warren.outcome', outcome.kind)
          if (outcome.kind === 'dead-letter') span.setAttribute('warren.reason', outcome.reason)
          if (outcome.kind === 'retry') span.setAttribute('warren.delay_ms', outcome.delay.delayMs)
          if ('failure' in outcome && outcome.failure) {
            span.setAttribute('error.type', errorTypeOf(outcome.failure))
            span.recordException(errorOf(outcome.failure))
            span.setStatus({ code: spanError, message: outcome.failure.errorMessage ?? outcome.kind })
          }
          span.end()
        },
      }
    },
  }
}

function extract(api: TracingApi, carrier: Record<string, string>): unknown {
  return api.propagation.extract(api.context.active() as never, carrier)
}

function lastAttempt(api: TracingApi, headers: Record<string, string>): unknown {
  const traceparent = headers[consumerHeaders.lastAttempt]
  return traceparent === undefined ? undefined : extract(api, { traceparent })
}

function errorOf({ errorType, errorMessage, stack }: Failure): Error {
  const error = new Error(errorMessage ?? '')
  error.name = errorType ?? 'Error'
  error.stack = stack ?? ''
  return error
}

/** A status where there is no error: it says more than the name that all errors have. */
function errorTypeOf({ errorType, errorCode, statusCode }: Failure): string {
  return errorCode ?? errorType ?? (statusCode === undefined ? '_OTHER' : String(statusCode))
}

function textHeaders({ headers }: ConsumedMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

function attributesOf(
  message: ConsumedMessage,
  { queue, attempt, deliveryTag }: RunFacts,
): Record<string, string | number> {
  return {
    'messaging.system': 'rabbitmq',
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.destination.name': destinationName(message.exchange, message.routingKey, queue),
    'messaging.destination.subscription.name': queue,
    'messaging.rabbitmq.destination.routing_key': message.routingKey,
    'messaging.rabbitmq.message.delivery_tag': deliveryTag,
    'messaging.message.body.size': message.rawBody.length,
    'warren.attempt': attempt,
    ...(message.id !== undefined && { 'messaging.message.id': message.id }),
    ...(message.correlationId !== undefined && {
      'messaging.message.conversation_id': message.correlationId,
    }),
  }
}
