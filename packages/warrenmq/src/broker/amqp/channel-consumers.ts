import { InvalidArgumentError } from '../../errors.ts'
import type { DeliverMethod } from '../../wire/deliver-reader.ts'
import type { FieldTable } from '../../wire/field-value.ts'
import type { OnContent, OversizedContents } from './content-reader.ts'
import { Delivery, type SettlingChannel } from './delivery.ts'

/** How to consume on a channel. */
export interface ConsumeOptions {
  /**
   * The broker forgets a message once it has sent it. @default false
   * @example { noAck: true }
   */
  readonly noAck?: boolean
  /**
   * Nobody else may consume from the queue. @default false
   * @example { exclusive: true }
   */
  readonly exclusive?: boolean
  /**
   * Arguments of the consumer.
   * @example { arguments: toFieldTable({ 'x-priority': 10 }) }
   */
  readonly arguments?: FieldTable
  /**
   * The name of the consumer on its channel. @default one that is new
   * @example { consumerTag: 'night-shift' }
   */
  readonly consumerTag?: string
  /**
   * Takes a message over `maxBodyBytes`: its `body` is empty, `bodyBytes` says what it was. Unsettled, it stays with this
   * channel and goes back with it. Without this, such a message ends the connection.
   * @example { onOversized: (delivery) => delivery.nack({ requeue: true }) }
   */
  readonly onOversized?: ((delivery: Delivery) => void) | undefined
}

type OnDelivery = (delivery: Delivery) => void

interface ChannelConsumer {
  readonly needsAck: boolean
  readonly onOversized: OnDelivery | undefined
  readonly onDelivery: OnDelivery
}

/** The consumers of one channel: each delivery reaches the one that its tag names. */
export interface ChannelConsumers {
  /** Adds one, before the broker is asked for it; returns its tag. */
  add(onDelivery: OnDelivery, options: ConsumeOptions): string
  delete(consumerTag: string): void
  clear(): void
  size(): number
  /** Of one that is not known as well: what it holds goes back with the channel. */
  needsAck(consumerTag: string): boolean
  /** What comes for a consumer that is gone stays unsettled. */
  readonly handOver: OnContent<DeliverMethod>
  /** For messages that are larger than a channel takes. */
  readonly oversized: OversizedContents
}

export function createChannelConsumers(channel: SettlingChannel & { readonly id: number }): ChannelConsumers {
  const consumers = new Map<string, ChannelConsumer>()
  let number = 0

  return {
    add: (onDelivery, { noAck, consumerTag, onOversized }) => {
      // The tag is ours, so that a delivery that overtakes the answer finds its consumer.
      number += 1
      const tag = consumerTag ?? `warren-${channel.id}.${number}`
      if (consumers.has(tag))
        throw new InvalidArgumentError(
          `A consumer "${tag}" already runs on this channel. Choose another tag.`,
        )
      consumers.set(tag, { needsAck: !noAck, onDelivery, onOversized })
      return tag
    },
    delete: (consumerTag) => {
      consumers.delete(consumerTag)
    },
    clear: () => consumers.clear(),
    size: () => consumers.size,
    needsAck: (consumerTag) => consumers.get(consumerTag)?.needsAck ?? true,
    handOver: (method, content) => {
      const consumer = consumers.get(method.consumerTag)
      if (consumer) handOver(consumer.onDelivery, new Delivery(channel, method, content))
    },
    oversized: {
      // A get and a return have no consumer: who asked or published must learn that there is no answer.
      isWanted: (announcement) => {
        const { consumerTag } = announcement as Partial<DeliverMethod>
        return consumerTag !== undefined && consumers.get(consumerTag)?.onOversized !== undefined
      },
      complete: (announcement, content) => {
        const method = announcement as DeliverMethod
        const onDelivery = consumers.get(method.consumerTag)?.onOversized
        if (onDelivery) handOver(onDelivery, new Delivery(channel, method, content))
      },
    },
  }
}

/** A consumer that throws must not end the connection that it shares; its error is reported as uncaught. */
function handOver(onDelivery: OnDelivery, delivery: Delivery): void {
  try {
    onDelivery(delivery)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
