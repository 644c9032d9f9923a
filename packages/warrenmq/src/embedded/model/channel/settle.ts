import { ProtocolError } from '../protocol-error.ts'
import type { Settlement } from '../queue/queued-message.ts'
import { type Channel, type HeldDelivery, isAlive } from './channel.ts'

/** Settles one delivery, or all up to and with it; tag 0 with `multiple` means all. */
export function settle(
  channel: Channel,
  { deliveryTag, multiple, settlement }: { deliveryTag: number; multiple: boolean; settlement: Settlement },
): void {
  const held = collect(channel, deliveryTag, multiple)
  for (const { deliveryTag: tag } of held) channel.held.delete(tag)
  const settleThese = (deliveries: readonly HeldDelivery[]) => tellQueues(channel, deliveries, settlement)
  const { transaction } = channel
  if (transaction) transaction.settlements = [...transaction.settlements, { held, settle: settleThese }]
  else settleThese(held)
}

/** basic.recover: everything that is held goes back. */
export function recover(channel: Channel): void {
  const held = [...channel.held.values()]
  channel.held.clear()
  tellQueues(channel, held, 'return')
}

function collect(channel: Channel, deliveryTag: number, multiple: boolean): readonly HeldDelivery[] {
  if (multiple && deliveryTag === 0) return [...channel.held.values()]
  const wanted = channel.held.get(deliveryTag)
  if (!wanted) throw new ProtocolError('PRECONDITION_FAILED', `unknown delivery tag ${deliveryTag}`)
  if (!multiple) return [wanted]
  const collected: HeldDelivery[] = []
  for (const delivery of channel.held.values()) {
    if (delivery.deliveryTag > deliveryTag) break
    collected.push(delivery)
  }
  return collected
}

function tellQueues(channel: Channel, held: readonly HeldDelivery[], settlement: Settlement): void {
  if (channel.globalLimit !== undefined) {
    // What a quorum queue delivered is not counted when it goes out, but it is when it is settled.
    const settled = held.filter(({ consumer }) => consumer).length
    channel.globalHeld = Math.max(0, channel.globalHeld - settled)
  }
  for (const group of groupByQueueAndConsumer(held)) {
    const { queue, consumer } = group[0]!
    if (!isAlive(channel, queue)) continue
    queue.settle({ channel: channel.port, consumer, entries: group.map(({ entry }) => entry), settlement })
  }
  if (channel.globalLimit !== undefined) wakeQueues(channel)
}

/** A limit over the whole channel that has room again may let any of its queues go on. */
function wakeQueues(channel: Channel): void {
  for (const queue of new Set([...channel.consumers.values()].map((active) => active.queue))) {
    queue.channelReady(channel.port)
  }
}

/** RabbitMQ settles queue by queue and consumer by consumer, in the order of their names. */
function groupByQueueAndConsumer(held: readonly HeldDelivery[]): readonly (readonly HeldDelivery[])[] {
  if (held.length <= 1) return held.length === 0 ? [] : [held]
  const first = held[0]!
  if (held.every(({ queue, consumer }) => consumer && queue === first.queue && consumer === first.consumer)) {
    return [held]
  }
  const groups = new Map<string, HeldDelivery[]>()
  for (const delivery of held) {
    const key = groupKey(delivery)
    const group = groups.get(key)
    if (group) group.push(delivery)
    else groups.set(key, [delivery])
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group)
}

/** What was fetched with basic.get stands alone, and before what was delivered. */
function groupKey({ queue, consumer, deliveryTag }: HeldDelivery): string {
  const who = consumer ? `1${consumer.tag}` : `0${String(deliveryTag).padStart(16, '0')}`
  return `${queue.name}\0${who}`
}
