import type { ConsumedMessage } from '../consumed-message.ts'
import type { Middleware } from '../handler.ts'
import { readAnswer } from '../handler-answer.ts'

/**
 * The part of `@opentelemetry/api` that is used; pass the module itself. Warren does not depend on it.
 */
export interface TracingApi<Context = unknown> {
  readonly context: {
    active(): Context
    with<Result>(context: Context, task: () => Result): Result
  }
  readonly propagation: { extract(context: Context, carrier: Record<string, string>): Context }
  readonly trace: {
    getTracer(name: string): {
      startSpan(name: string, options: SpanOptions, context?: Context): TracingSpan
    }
    setSpan(context: Context, span: TracingSpan): Context
    getSpanContext(context: Context): unknown
  }
}

export interface SpanOptions {
  readonly kind: number
  readonly attributes: Record<string, string | number>
  readonly links: { readonly context: never }[]
}

export interface TracingSpan {
  setAttribute(name: string, value: string | number): unknown
  recordException(error: Error): void
  setStatus(status: { readonly code: number; readonly message?: string }): unknown
  end(): void
}

const consumerKind = 4
const errorStatus = 2

/**
 * One span per attempt. The W3C context of the producer stays in the headers through retries and the dead-letter
 * queue, so that all attempts are children of the span that published, and each is linked to it.
 */
export function trace<Context>(api: TracingApi<Context>): Middleware {
  const tracer = api.trace.getTracer('warrenmq')
  return (next) => async (message, context) => {
    const producer = api.propagation.extract(api.context.active(), textHeaders(message))
    const published = api.trace.getSpanContext(producer)
    const options = {
      kind: consumerKind,
      attributes: attributesOf(message, context),
      links: published === undefined ? [] : [{ context: published as never }],
    }
    const span = tracer.startSpan(`process ${context.queue}`, options, producer)
    try {
      const answer = await api.context.with(api.trace.setSpan(producer, span), () => next(message, context))
      const { kind } = readAnswer(answer)
      span.setAttribute('warren.answer', kind)
      return answer
    } catch (error) {
      span.recordException(error as Error)
      span.setStatus({ code: errorStatus, message: (error as Error).message })
      throw error
    } finally {
      span.end()
    }
  }
}

function textHeaders({ headers }: ConsumedMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

function attributesOf(
  message: ConsumedMessage,
  { queue, attempt }: { readonly queue: string; readonly attempt: number },
): Record<string, string | number> {
  return {
    'messaging.system': 'rabbitmq',
    'messaging.operation.type': 'process',
    'messaging.destination.name': message.exchange === '' ? 'amq.default' : message.exchange,
    'messaging.destination.subscription.name': queue,
    'messaging.rabbitmq.destination.routing_key': message.routingKey,
    'messaging.message.body.size': message.rawBody.length,
    'warren.attempt': attempt,
    ...(message.id !== undefined && { 'messaging.message.id': message.id }),
    ...(message.correlationId !== undefined && {
      'messaging.message.conversation_id': message.correlationId,
    }),
  }
}
