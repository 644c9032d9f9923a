import type { Session } from '../broker/amqp/session.ts'
import type { MessageDeclarations, NoMessages } from '../topology/message-declaration.ts'
import { checkAddress, type OutgoingMessage } from './outgoing-message.ts'
import type { PublishLimits } from './publish-options.ts'
import type { PublishResult } from './publish-result.ts'
import { Publisher, type PublisherOptions } from './publisher.ts'
import { destinationName, serverAttributes, spanError, spanKinds, type TracingApi } from './tracing-api.ts'

/** A publisher that makes a span of each publish and sends its context along, in the headers of W3C. */
export class TracedPublisher<Messages extends MessageDeclarations = NoMessages> extends Publisher<Messages> {
  readonly #api: TracingApi
  readonly #session: Session

  constructor(session: Session, options: PublisherOptions, api: TracingApi, messages?: Messages) {
    super(session, options, messages)
    this.#api = api
    this.#session = session
  }

  override prepare(
    message: OutgoingMessage,
    limits: PublishLimits | undefined,
  ): () => Promise<PublishResult> {
    super.prepare(message, limits) // it refuses what cannot be sent; the span and its headers come with the sending
    return () => this.send(message, limits)
  }

  override async send(message: OutgoingMessage, limits?: PublishLimits): Promise<PublishResult> {
    checkAddress(message)
    const { context, propagation, trace } = this.#api
    const parent = context.active()
    const { exchange = '', key } = message
    const server = serverAttributes(this.#session.connection?.endpoint)
    const options = { kind: spanKinds.producer, attributes: { ...attributesOf(message), ...server } }
    const name = `publish ${exchange === '' ? key : exchange}`
    const span = trace.getTracer('warrenmq').startSpan(name, options, parent as never)
    try {
      const carrier: Record<string, string> = {}
      propagation.inject(trace.setSpan(parent as never, span as never) as never, carrier)
      const result = await super.send({ ...message, headers: { ...message.headers, ...carrier } }, limits)
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
