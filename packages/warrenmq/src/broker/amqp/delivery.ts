import type { DeliverMethod } from '../../wire/deliver-reader.ts'
import type { Body } from '../../wire/frame-writer.ts'
import type { RawProperties } from '../../wire/properties.ts'
import type { Settled } from './ack-ledger.ts'
import type { Content } from './content-reader.ts'
import type { IncomingMessage } from './message.ts'

/** What a delivery needs of the channel it came by. */
export interface SettlingChannel {
  /** False: the broker has taken all its deliveries back. */
  readonly isOpen: boolean
  /** The message may go from its queue. */
  ack(deliveryTag: number): Settled
  /** It was not handled: back into the queue, or dead-lettered. */
  nack(deliveryTag: number, options: { requeue: boolean }): Settled
  /** The same, as AMQP without RabbitMQ's extension says it. */
  reject(deliveryTag: number, options: { requeue: boolean }): Settled
}

/**
 * One hand-over of a message. It belongs to the channel it came by: when that one is gone, the broker has
 * taken the message back, and settling it says `stale` and reaches no other message.
 */
export class Delivery implements IncomingMessage {
  readonly #channel: SettlingChannel
  // `declare`: else every message would have its fields written twice, the first time with undefined.
  /** Its number on the channel, from 1; what an ack refers to. */
  declare readonly deliveryTag: number
  /** The consumer that it is for. */
  declare readonly consumerTag: string
  /** It, or an earlier delivery of the same message, was not acknowledged before. */
  declare readonly isRedelivered: boolean
  /** Where it was published; empty for the default exchange. */
  declare readonly exchange: string
  /** The key it was published with. */
  declare readonly routingKey: string
  /** Properties and headers, as encoded bytes. */
  declare readonly properties: RawProperties
  /** In the pieces in which it arrived: views into what was read. */
  declare readonly body: Body
  /** The length of the body in bytes. */
  declare readonly bodyBytes: number

  constructor(channel: SettlingChannel, method: DeliverMethod, content: Content) {
    this.#channel = channel
    this.deliveryTag = method.deliveryTag
    this.consumerTag = method.consumerTag
    this.isRedelivered = method.isRedelivered
    this.exchange = method.exchange
    this.routingKey = method.routingKey
    this.properties = content.properties
    this.body = content.body
    this.bodyBytes = content.bodyBytes
  }

  /** Can it still be settled? */
  get isCurrent(): boolean {
    return this.#channel.isOpen
  }

  /**
   * Tells the broker that the message is done.
   * @example
   * ```ts
   * delivery.ack()
   * ```
   */
  ack(): Settled {
    return this.#channel.ack(this.deliveryTag)
  }

  /**
   * From RabbitMQ 4.3 on a nack with requeue does not count towards the delivery limit; `reject` does.
   * @example
   * ```ts
   * delivery.nack({ requeue: true })
   * ```
   */
  nack(options: { requeue: boolean }): Settled {
    return this.#channel.nack(this.deliveryTag, options)
  }

  /**
   * Gives the message back (`requeue`), or lets its queue dead-letter or drop it.
   * @example
   * ```ts
   * delivery.reject({ requeue: false })
   * ```
   */
  reject(options: { requeue: boolean }): Settled {
    return this.#channel.reject(this.deliveryTag, options)
  }
}
