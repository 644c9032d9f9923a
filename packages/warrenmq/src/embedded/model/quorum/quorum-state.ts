import type { PublisherGate } from '../channel/publisher-gate.ts'
import type { DeathReason, Message } from '../message/message.ts'
import type { EffectivePolicy } from '../policy/policies.ts'
import type { QuorumRules } from '../profile.ts'
import type { AtLeastOnce } from '../queue/at-least-once.ts'
import type { Deadline } from '../queue/deadline.ts'
import type { Queue, QueueSurroundings } from '../queue/queue.ts'
import type { QueueSettings } from '../queue/queue-settings.ts'
import type { QueuedMessage } from '../queue/queued-message.ts'
import type { DelayedReturns } from './delayed-returns.ts'
import type { Member, QuorumMembers } from './quorum-members.ts'
import type { QuorumReady } from './quorum-ready.ts'

/** All that a quorum queue is. The files beside this one say what happens to it. */
export interface QuorumState {
  /** The queue as others see it. */
  readonly queue: Queue
  readonly surroundings: QueueSurroundings
  readonly rules: QuorumRules
  settings: QueueSettings
  policy: EffectivePolicy
  readonly ready: QuorumReady
  readonly members: QuorumMembers
  readonly deadLetters: AtLeastOnce
  readonly delayed: DelayedReturns
  readonly gate: PublisherGate
  /** When the next message expires. */
  readonly expiry: Deadline
  /** When the queue has been unused for too long. */
  readonly disuse: Deadline
  /** When a consumer has held a message for too long. */
  readonly holding: Deadline
  readonly createdAtMs: number
  lastActiveMs: number
  nextPosition: number
  unacknowledged: number
  unacknowledgedBytes: number
}

export function makeEntry(state: QuorumState, message: Message): QueuedMessage {
  const { settings, rules, surroundings } = state
  const ttlMs = Math.min(
    settings.messageTtlMs ?? Number.POSITIVE_INFINITY,
    message.expirationMs ?? Number.POSITIVE_INFINITY,
  )
  state.nextPosition += 1
  return {
    message,
    position: state.nextPosition,
    // A message that may not wait at all gets the millisecond in which it came.
    expiresAtMs: surroundings.clock.now() + Math.max(1, ttlMs),
    sizeBytes: rules.sizeOf(message),
    returnCount: 0,
    deliveryCount: rules.carriesDeliveryCount ? (message.carriedDeliveryCount ?? 0) : 0,
    heldUntilMs: Number.POSITIVE_INFINITY,
  }
}

/** The member has it until it settles it. */
export function hold(state: QuorumState, member: Member, entry: QueuedMessage): void {
  const timeoutMs = member.consumer?.timeoutMs ?? state.settings.consumerTimeoutMs
  entry.heldUntilMs = state.surroundings.clock.now() + timeoutMs
  member.held.add(entry)
  state.unacknowledged += 1
  state.unacknowledgedBytes += entry.sizeBytes
}

/** Gives false when the member did not hold it. */
export function letGo(state: QuorumState, member: Member, entry: QueuedMessage): boolean {
  if (!member.held.delete(entry)) return false
  state.unacknowledged -= 1
  state.unacknowledgedBytes -= entry.sizeBytes
  return true
}

/** Gives a member credit back; the queue counts as used when a member has gone with it. */
export function refresh(state: QuorumState, member: Member, credit: number): void {
  state.members.refresh(member, credit)
  if (!state.members.current.has(member)) state.lastActiveMs = state.surroundings.clock.now()
}

/** Sends a message on as a dead letter, with the count of failures where the version carries it. */
export function die(state: QuorumState, entry: QueuedMessage, reason: DeathReason): void {
  const isCounted = state.rules.carriesDeliveryCount && entry.deliveryCount > 0
  const message = isCounted ? { ...entry.message, carriedDeliveryCount: entry.deliveryCount } : entry.message
  if (state.settings.isAtLeastOnce) state.deadLetters.add({ ...entry, message }, reason)
  else state.surroundings.deadLetter(state.queue, message, reason)
}
