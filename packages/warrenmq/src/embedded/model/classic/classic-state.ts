import type { DeathReason, Message } from '../message/message.ts'
import type { EffectivePolicy } from '../policy/policies.ts'
import type { Deadline } from '../queue/deadline.ts'
import type { Consumer, Queue, QueueSurroundings } from '../queue/queue.ts'
import type { QueueSettings } from '../queue/queue-settings.ts'
import type { QueuedMessage, Settlement } from '../queue/queued-message.ts'
import type { ClassicConsumers } from './classic-consumers.ts'
import type { ReadyMessages } from './ready-messages.ts'

/** All that a classic queue is, and the steps that everything that happens to it is made of. */
export interface ClassicState {
  /** The queue as others see it. */
  readonly queue: Queue
  readonly surroundings: QueueSurroundings
  settings: QueueSettings
  policy: EffectivePolicy
  readonly ready: ReadyMessages
  readonly consumers: ClassicConsumers
  /** When the head expires. */
  readonly expiry: Deadline
  /** When the queue has been unused for too long. */
  readonly disuse: Deadline
  nextPosition: number
  hadConsumers: boolean
  unacknowledged: number
  unacknowledgedBytes: number
}

export function makeEntry(state: ClassicState, message: Message): QueuedMessage {
  const { settings, surroundings } = state
  const ttlMs = Math.min(
    settings.messageTtlMs ?? Number.POSITIVE_INFINITY,
    message.expirationMs ?? Number.POSITIVE_INFINITY,
  )
  state.nextPosition += 1
  return {
    message,
    position: state.nextPosition,
    expiresAtMs: surroundings.clock.now() + ttlMs,
    sizeBytes: message.bodyBytes,
    returnCount: 0,
    deliveryCount: countsFailures(state) ? (message.carriedDeliveryCount ?? 0) : 0,
    heldUntilMs: Number.POSITIVE_INFINITY,
  }
}

export function isOver({ settings }: ClassicState, length: number, bytes: number): boolean {
  return (
    length > (settings.maxLength ?? Number.POSITIVE_INFINITY) ||
    bytes > (settings.maxBytes ?? Number.POSITIVE_INFINITY)
  )
}

/** Drops heads until the limits are kept, unless the queue refuses publishes instead; gives whether any was dropped. */
export function dropOverflow(state: ClassicState): boolean {
  return state.settings.overflow === 'drop-head' && dropHeads(state)
}

/** Drops heads until the limits are kept; gives whether any was dropped. */
export function dropHeads(state: ClassicState): boolean {
  const { ready } = state
  const isFull = isOver(state, ready.size(), ready.bytes())
  while (isOver(state, ready.size(), ready.bytes())) die(state, ready.take()!, 'maxlen')
  return isFull
}

/** Only the head can expire: what stands behind a younger head waits with it. */
export function dropExpired(state: ClassicState): void {
  const { ready, surroundings, expiry } = state
  const now = surroundings.clock.now()
  while ((ready.peek()?.expiresAtMs ?? Number.POSITIVE_INFINITY) <= now) die(state, ready.take()!, 'expired')
  const next = ready.peek()?.expiresAtMs
  expiry.moveTo(next === Number.POSITIVE_INFINITY ? undefined : next)
}

/** Hands out what is ready as long as someone can take it. */
export function run(state: ClassicState): void {
  const { ready, consumers } = state
  dropExpired(state)
  while (ready.size() > 0 && consumers.handOver((consumer) => handOutNext(state, consumer)))
    dropExpired(state)
}

export function handOut(
  state: ClassicState,
  entry: QueuedMessage,
  { consumer, isRedelivered }: { consumer: Consumer; isRedelivered: boolean },
): void {
  const needsAck = !consumer.noAck
  if (needsAck) hold(state, entry)
  const { properties } = entry.message
  consumer.channel.deliver({ queue: state.queue, consumer, entry, isRedelivered, properties, needsAck })
}

/** A dead letter that failed elsewhere counts as delivered before, but only once it has waited here. */
export function wasDelivered({ returnCount, deliveryCount }: QueuedMessage): boolean {
  return returnCount > 0 || deliveryCount > 0
}

export function hold(state: ClassicState, entry: QueuedMessage): void {
  state.unacknowledged += 1
  state.unacknowledgedBytes += entry.sizeBytes
}

export function letGo(state: ClassicState, entry: QueuedMessage): void {
  state.unacknowledged -= 1
  state.unacknowledgedBytes -= entry.sizeBytes
}

export function putBack(state: ClassicState, entry: QueuedMessage, cause: Settlement | 'channel-down'): void {
  letGo(state, entry)
  entry.returnCount += 1
  countFailure(state, entry, cause)
  state.ready.putBack(entry)
}

export function countFailure(
  state: ClassicState,
  entry: QueuedMessage,
  cause: Settlement | 'channel-down',
): void {
  if (countsFailures(state) && state.surroundings.profile.quorum.isFailure(cause)) entry.deliveryCount += 1
}

export function die(state: ClassicState, entry: QueuedMessage, reason: DeathReason): void {
  const { message, deliveryCount } = entry
  const isCounted = countsFailures(state) && deliveryCount > 0
  const letter = isCounted ? { ...message, carriedDeliveryCount: deliveryCount } : message
  state.surroundings.deadLetter(state.queue, letter, reason)
}

/** The time of disuse starts anew with everything that counts as use. */
export function restartDisuse({ settings, disuse, consumers, surroundings }: ClassicState): void {
  if (settings.expiresMs === undefined) disuse.moveTo(undefined)
  else if (consumers.count() === 0) disuse.moveTo(surroundings.clock.now() + settings.expiresMs)
}

function handOutNext(state: ClassicState, consumer: Consumer): void {
  const entry = state.ready.take()!
  handOut(state, entry, { consumer, isRedelivered: wasDelivered(entry) })
}

function countsFailures({ surroundings }: ClassicState): boolean {
  return surroundings.profile.classicCountsFailures
}
