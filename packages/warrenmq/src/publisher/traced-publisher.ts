import type { Session } from '../broker/amqp/session.ts'
import { checkAddress, type OutgoingMessage } from './outgoing-message.ts'
import type { PublishResult } from './publish-result.ts'
import { Publisher, type PublisherOptions } from './publisher.ts'
import { destinationName, spanError, spanKinds, type TracingApi } from './tracing-api.ts'

/** A publisher that makes a span of each publish and sends its context along, in the headers of W3C. */
export class TracedPublisher extends Publisher {
  readonly #api: TracingApi

  constructor(session: Session, options: PublisherOptions, api: TracingApi) {
    super(session, options)
    this.#api = api
  }

  override async publish(message: OutgoingMessage): Promise<PublishResult> {
    checkAddress(message)
    const { context, propagation, trace } = this.#api
    const parent = context.active()
    const { exchange = '', key } = message
    const options = { kind: spanKinds.producer, attributes: attributesOf(message) }
    const name = `publish ${exchange === '' ? key : exchange}`
    const span = trace.getTracer('warrenmq').startSpan(name, options, parent as never)
    try {
      const carrier: Record<string, string> = {}
      propagation.inject(trace.setSpan(parent as never, span as never) as never, carrier)
      const result = await super.publish({ ...message, headers: { ...message.headers, ...carrier } })
      span.setAttribute('warren.result', result.kind)
      if (result.messageId !== undefined) span.setAttribute('messaging.message.id', result.messageId)
      if (result.kind !== 'confirmed') {
        span.setAttribute('error.type', result.kind)
        span.setStatus({ code: spanError, message: result.kind })
      }
      return result
    } catch (error) {
      span.setAttribute('error.type', (error as Error).name)
      span.recordException(error as Error)
      span.setStatus({ code: spanError, message: (error as Error).message })
      throw error
    } finally {
      span.end()
    }
  }
}

function attributesOf({ exchange = '', key, correlationId }: OutgoingMessage): Record<string, string> {
  return {
    'messaging.system': 'rabbitmq',
    'messaging.operation.name': 'publish',
    'messaging.operation.type': 'send',
    'messaging.destination.name': destinationName(exchange, key),
    'messaging.rabbitmq.destination.routing_key': key,
    ...(correlationId !== undefined && { 'messaging.message.conversation_id': correlationId }),
  }
}
