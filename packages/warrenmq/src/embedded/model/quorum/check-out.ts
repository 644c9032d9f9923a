import type { Consumer, Delivery } from '../queue/queue.ts'
import type { QueuedMessage } from '../queue/queued-message.ts'
import { enforceLimit } from './enforce-limit.ts'
import type { Member } from './quorum-members.ts'
import { die, hold, letGo, type QuorumState, refresh } from './quorum-state.ts'

interface HandedOut {
  readonly member: Member
  readonly entry: QueuedMessage
}

/** What every change ends with: deliver what can be delivered, then look at the limits and the deadlines. */
export function finish(state: QuorumState): void {
  checkOut(state)
  state.deadLetters.pump()
  enforceLimit(state)
  state.expiry.moveTo(finite(state.ready.nextExpiryMs()))
  planDisuse(state)
  planHolding(state)
}

/** Hands out messages as long as there are some and someone can take them. */
export function checkOut(state: QuorumState): void {
  for (let batch = takeBatch(state); batch.length > 0; batch = takeBatch(state)) deliverBatch(state, batch)
}

export function dropExpired(state: QuorumState): void {
  for (const entry of state.ready.takeExpired(state.surroundings.clock.now())) die(state, entry, 'expired')
}

export function describeDelivery(
  { queue, rules }: QuorumState,
  entry: QueuedMessage,
  { consumer, needsAck }: { consumer: Consumer | undefined; needsAck: boolean },
): Delivery {
  return {
    queue,
    consumer,
    entry,
    isRedelivered: rules.isRedelivered(entry),
    properties: rules.renderProperties(entry, consumer === undefined),
    needsAck,
  }
}

/** The order of members that get messages, or give them back, at the same time. */
export function compareMembers(order: 'tag' | 'age', a: Member, b: Member): number {
  if (order === 'age') return Number(!a.consumer) - Number(!b.consumer) || a.age - b.age
  // Here a basic.get has a number for a tag, which comes before any name.
  const [tagA, tagB] = [a.consumer?.tag ?? '', b.consumer?.tag ?? '']
  return tagA < tagB ? -1 : tagA > tagB ? 1 : a.channel.id - b.channel.id || a.age - b.age
}

function takeBatch(state: QuorumState): HandedOut[] {
  const batch: HandedOut[] = []
  for (;;) {
    dropExpired(state)
    const member = state.ready.size() > 0 ? state.members.next() : undefined
    if (!member) return batch
    const entry = state.ready.take()!
    hold(state, member, entry)
    member.credit -= 1
    state.members.refresh(member, 0)
    batch.push({ member, entry })
  }
}

/** Each consumer gets its share of a batch in one go, so on one channel the shares are not mixed. */
function deliverBatch(state: QuorumState, batch: HandedOut[]): void {
  const first = batch[0]!.member
  if (batch.some(({ member }) => member !== first)) {
    batch.sort((a, b) => compareMembers(state.rules.ordersDeliveriesBy, a.member, b.member))
  }
  for (const { member, entry } of batch) {
    const consumer = member.consumer!
    consumer.channel.deliver(describeDelivery(state, entry, { consumer, needsAck: !consumer.noAck }))
  }
  acknowledgeForThem(state, batch)
}

/**
 * RabbitMQ's channel acknowledges for a consumer that does not. It is a command of its own, which comes to the queue
 * after the one that handed the messages out: by then the limits have been looked at.
 */
function acknowledgeForThem(state: QuorumState, batch: readonly HandedOut[]): void {
  const automatic = batch.filter(({ member }) => member.consumer!.noAck)
  if (automatic.length === 0) return
  state.surroundings.postpone(() => {
    for (const { member, entry } of automatic) if (letGo(state, member, entry)) refresh(state, member, 1)
    state.members.activate()
    finish(state)
  })
}

/** RabbitMQ looks after an unused quorum queue only so often. */
const tickMs = 5000

function planDisuse({ settings, members, disuse, lastActiveMs, createdAtMs }: QuorumState): void {
  if (settings.expiresMs === undefined || members.current.size > 0) {
    disuse.moveTo(undefined)
    return
  }
  const ticks = Math.floor((lastActiveMs + settings.expiresMs - createdAtMs) / tickMs) + 1
  disuse.moveTo(createdAtMs + ticks * tickMs)
}

function planHolding({ rules, members, holding }: QuorumState): void {
  if (!rules.takesBackAfterTimeout) return
  let soonest = Number.POSITIVE_INFINITY
  for (const { held } of members.current) {
    // The first that a member got is the first that it holds for too long.
    const oldest = held.values().next().value
    if (oldest) soonest = Math.min(soonest, oldest.heldUntilMs)
  }
  holding.moveTo(finite(soonest))
}

function finite(atMs: number): number | undefined {
  return atMs === Number.POSITIVE_INFINITY ? undefined : atMs
}
