import type { ConsumerChannel, SettledEntries } from '../queue/queue.ts'
import type { QueuedMessage, Settlement } from '../queue/queued-message.ts'
import { refuseLargeReturn } from '../refuse-unmodelled.ts'
import { finish } from './check-out.ts'
import type { Member } from './quorum-members.ts'
import { die, letGo, type QuorumState, refresh } from './quorum-state.ts'

/** Takes back or lets go what a client has settled. */
export function settleEntries(state: QuorumState, { consumer, entries, settlement }: SettledEntries): void {
  const member = consumer ? state.members.find(consumer) : findGet(state, entries[0])
  if (!member) return
  const isReturn = settlement === 'return' || settlement === 'reject-return'
  if (isReturn) refuseLargeReturn(state, entries)
  recoverFromTimeout(member, entries)
  for (const entry of entries) {
    if (isReturn) giveBack(state, { member, entry, settlement })
    else complete(state, { member, entry, settlement })
  }
  // One that was timed out and has now answered for all that was taken from it stands in line again.
  if (member.status === 'up') refresh(state, member, 0)
  if (!isReturn || state.rules.activatesAfterReturn) state.members.activate()
  finish(state)
}

/** A channel has ended: whatever it held comes back, and counts as failed where the version says so. */
export function takeBackFrom(state: QuorumState, channel: ConsumerChannel): void {
  state.gate.forget(channel)
  for (const member of state.members.takeOut(channel)) {
    for (const entry of [...member.held]) returnOne(state, { member, entry, cause: 'channel-down' })
    state.members.remove(member)
    state.lastActiveMs = state.surroundings.clock.now()
  }
  state.members.activate()
  finish(state)
}

/** Takes back what was held for too long; the consumer gets nothing more until it has settled it. */
export function takeBackTimedOut(state: QuorumState): void {
  const now = state.surroundings.clock.now()
  for (const member of state.members.current) {
    const late = [...member.held].filter((entry) => entry.heldUntilMs <= now)
    if (late.length === 0) continue
    member.status = 'timed-out'
    for (const entry of late) {
      member.timedOut.add(entry)
      returnOne(state, { member, entry, cause: 'timeout' })
    }
    member.channel.released(member.consumer)
  }
  state.members.activate()
  finish(state)
}

interface Settled {
  readonly member: Member
  readonly entry: QueuedMessage
  readonly settlement: Settlement
}

function complete(state: QuorumState, { member, entry, settlement }: Settled): void {
  if (!letGo(state, member, entry)) return
  if (settlement !== 'ack') {
    entry.returnCount += 1
    if (state.rules.isFailure(settlement)) entry.deliveryCount += 1
    die(state, entry, 'rejected')
  }
  refresh(state, member, 1)
}

function giveBack(state: QuorumState, { member, entry, settlement }: Settled): void {
  const isToTail = state.rules.returnsToTailWithoutLimit && state.settings.deliveryLimit === undefined
  if (!isToTail) {
    returnOne(state, { member, entry, cause: settlement })
    return
  }
  if (!letGo(state, member, entry)) return
  state.nextPosition += 1
  entry.returnCount += 1
  entry.position = state.nextPosition
  state.ready.addToTail(entry)
  refresh(state, member, 1)
  // Each is a command of its own, so what is free is handed out, and what is too much dropped, before the next comes back.
  finish(state)
}

function returnOne(
  state: QuorumState,
  {
    member,
    entry,
    cause,
  }: { member: Member; entry: QueuedMessage; cause: Settlement | 'channel-down' | 'timeout' },
): void {
  if (!letGo(state, member, entry)) return
  const { rules, settings } = state
  const isFailure = rules.isFailure(cause)
  entry.returnCount += 1
  if (isFailure) entry.deliveryCount += 1
  const isOverDelivered = rules.limitedCount(entry) > (settings.deliveryLimit ?? Number.POSITIVE_INFINITY)
  if (isOverDelivered) die(state, entry, 'delivery_limit')
  else if (!state.delayed.take(entry, settings.delayedRetry, isFailure)) state.ready.addReturned(entry)
  refresh(state, member, isOverDelivered && rules.overcreditsAtLimit ? 2 : 1)
}

function findGet({ members }: QuorumState, entry: QueuedMessage | undefined): Member | undefined {
  if (!entry) return undefined
  for (const member of members.current) if (!member.consumer && member.held.has(entry)) return member
  return undefined
}

function recoverFromTimeout(member: Member, entries: readonly QueuedMessage[]): void {
  if (member.status !== 'timed-out') return
  for (const entry of entries) member.timedOut.delete(entry)
  if (member.timedOut.size === 0) member.status = 'up'
}
