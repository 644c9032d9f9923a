import type { QueuedMessage } from '../queue/queued-message.ts'
import { die, type QuorumState } from './quorum-state.ts'

export function isRejecting({ settings }: QuorumState): boolean {
  return settings.overflow === 'reject-publish'
}

export function isOverLimit(state: QuorumState): boolean {
  const { settings } = state
  return (
    length(state) > (settings.maxLength ?? Number.POSITIVE_INFINITY) ||
    bytes(state) > (settings.maxBytes ?? Number.POSITIVE_INFINITY)
  )
}

/** Drops the first messages, or turns publishers away, until the limits are kept. */
export function enforceLimit(state: QuorumState): void {
  const hasLimit = state.settings.maxLength !== undefined || state.settings.maxBytes !== undefined
  if (!hasLimit) {
    if (state.rules.opensWithoutLimit) state.gate.open()
  } else if (isRejecting(state)) {
    if (isOverLimit(state)) state.gate.close()
    else if (isBelowSoftLimit(state)) state.gate.open()
  } else dropFirst(state)
}

/** When several are dropped at once, RabbitMQ up to 4.2 sends the last of them on first. */
function dropFirst(state: QuorumState): void {
  const dropped: QueuedMessage[] = []
  while (isOverLimit(state) && state.ready.size() > 0) dropped.push(state.ready.take()!)
  const inTurn = state.rules.sendsLastDroppedFirst ? dropped.reverse() : dropped
  for (const entry of inTurn) die(state, entry, 'maxlen')
}

/** Publishers are let in again when the queue has fallen to four fifths of its limit. */
function isBelowSoftLimit(state: QuorumState): boolean {
  const { maxLength, maxBytes } = state.settings
  return isBelow(maxLength, length(state)) && isBelow(maxBytes, bytes(state))
}

function isBelow(limit: number | undefined, actual: number): boolean {
  return limit === undefined || actual <= Math.trunc(limit * 0.8)
}

/** Dead letters on their way and delayed messages count too. */
function length({ ready, deadLetters, delayed }: QuorumState): number {
  return ready.size() + deadLetters.count() + delayed.count()
}

function bytes({ ready, deadLetters }: QuorumState): number {
  return ready.bytes() + deadLetters.bytes()
}
