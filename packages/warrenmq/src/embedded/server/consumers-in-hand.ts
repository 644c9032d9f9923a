import type { Channel } from '../model/channel/channel.ts'
import type { AmqpConnection } from './amqp-connection.ts'

/** A consumer, as a message names it. */
export function nameConsumer(fields: { queue: string; tag: string; connection: string }): string {
  return `"${fields.queue}" with consumer "${fields.tag}" of ${fields.connection}`
}

/** What consumers have and have not settled: how many deliveries for each of them. */
export function consumersInHand(connections: Iterable<AmqpConnection>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { name, channels } of connections) {
    for (const { model } of channels.values()) {
      for (const { consumer, queue } of model.held.values()) {
        if (!consumer) continue // fetched one by one: whoever did that decides when to settle it
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
      for (const { consumer } of model.held.values()) if (consumer) return true
  return false
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

/** Tells whether one of the deliveries that the channel got is still held. */
export function holdsSome({ model, firstTag }: ServedChannel): boolean {
  for (let tag = model.nextDeliveryTag - 1; tag >= firstTag; tag -= 1) if (model.held.has(tag)) return true
  return false
}

export function consumersOf({ connection, model }: ServedChannel): string[] {
  return [...model.consumers].map(([tag, { queue }]) =>
    nameConsumer({ queue: queue.name, tag, connection: connection.name }),
  )
}
