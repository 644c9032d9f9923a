import { isHoldingTag } from '../../message/holding-tags.ts'
import type { Channel } from '../model/channel/channel.ts'
import type { AmqpConnection } from './amqp-connection.ts'

/** A consumer, as a message names it. */
export function nameConsumer(fields: { queue: string; tag: string; connection: string }): string {
  return `"${fields.queue}" with consumer "${fields.tag}" of ${fields.connection}`
}

/** What handlers have and have not settled: how many deliveries for each of their consumers. */
export function consumersInHand(connections: Iterable<AmqpConnection>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { name, channels } of connections) {
    for (const { model } of channels.values()) {
      for (const { consumer, queue } of model.held.values()) {
        if (!isHandling(consumer)) continue
        const who = nameConsumer({ queue: queue.name, tag: consumer.tag, connection: name })
        counts.set(who, (counts.get(who) ?? 0) + 1)
      }
    }
  }
  return counts
}

export function isInHand(connections: Iterable<AmqpConnection>): boolean {
  for (const { channels } of connections)
    for (const { model } of channels.values())
      for (const { consumer } of model.held.values()) if (isHandling(consumer)) return true
  return false
}

/**
 * Messages that were fetched one by one are settled when their client wants. A look or a re-drive holds what it takes
 * until it is over, which may need a clock that moves.
 */
function isHandling(consumer: { readonly tag: string } | undefined): consumer is { readonly tag: string } {
  return consumer !== undefined && !isHoldingTag(consumer.tag)
}

/** A channel that got deliveries after the one before `firstTag`. */
interface ServedChannel {
  readonly connection: AmqpConnection
  readonly model: Channel
  readonly firstTag: number
}

/** Notes up to which delivery each channel is known. */
export interface DeliveryNotes {
  note(connections: Iterable<AmqpConnection>): void
  /** The channels that got deliveries since they were noted. */
  served(connections: Iterable<AmqpConnection>): readonly ServedChannel[]
}

export function createDeliveryNotes(): DeliveryNotes {
  const nextTags = new WeakMap<Channel, number>()
  return {
    note: (connections) => {
      for (const { channels } of connections)
        for (const { model } of channels.values()) nextTags.set(model, model.nextDeliveryTag)
    },
    served: (connections) => {
      const served: ServedChannel[] = []
      for (const connection of connections) {
        for (const { model } of connection.channels.values()) {
          const firstTag = nextTags.get(model) ?? 1
          if (firstTag !== model.nextDeliveryTag) served.push({ connection, model, firstTag })
        }
      }
      return served
    },
  }
}

/** Tells whether one of the deliveries that the channel got is still held; `isMeant`: counting only those that no handler has. */
export function holdsSome({ model, firstTag }: ServedChannel, { isMeant }: { isMeant: boolean }): boolean {
  for (let tag = model.nextDeliveryTag - 1; tag >= firstTag; tag -= 1) {
    const held = model.held.get(tag)
    if (held && (!isMeant || (held.consumer && isHoldingTag(held.consumer.tag)))) return true
  }
  return false
}

export function consumersOf({ connection, model }: ServedChannel): string[] {
  return [...model.consumers].map(([tag, { queue }]) =>
    nameConsumer({ queue: queue.name, tag, connection: connection.name }),
  )
}
