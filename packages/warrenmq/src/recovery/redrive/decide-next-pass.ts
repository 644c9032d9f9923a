import type { WalkEnd } from '../look/queue-walk.ts'
import type { Interruption, RedriveOutcome } from '../receipt/receipt.ts'

/** What a pass over the queue came to. */
export interface PassFacts {
  readonly end: Exclude<WalkEnd, 'lost' | 'full'>
  /** Moved by this very pass. */
  readonly moved: number
  /** Passes without a move in a row, this one included. */
  readonly idlePasses: number
  /** As many are moved as were asked for. */
  readonly isLimitReached: boolean
  readonly isPaused: boolean
  /** What waited for its turn was given back before the broker took it. */
  readonly isHeldUp: boolean
  /** Of those counted at the start: neither moved nor seen and left. */
  readonly unseen: number
  /** The queue may still keep messages for a connection of this re-drive that was lost with its node. */
  readonly hasLostNode: boolean
  readonly returnsInMs: number
  /** Targets refused messages, and a second try would not put any into another queue twice. */
  readonly isRefusalRetriable: boolean
  /** Passes that were made because of refusals so far. */
  readonly refusalRetries: number
  /** Publishes got no answer while there was an alarm, or no connection to publish on. */
  readonly isUnanswered: boolean
}

export type NextPass =
  | { readonly kind: 'end'; readonly outcome: Exclude<RedriveOutcome, 'interrupted'> }
  | { readonly kind: 'end'; readonly outcome: 'interrupted'; readonly interruption: Interruption }
  | { readonly kind: 'again' }
  /** Once the queue has taken back what the lost connection held. */
  | { readonly kind: 'again-when-returned' }
  /** On another channel, once the targets have leaders. */
  | { readonly kind: 'again-when-led' }

const mostRefusalRetries = 5
const mostIdlePasses = 3
const mostUnansweredPasses = 5

/** Whether all is seen, or another pass is due. */
export function decideNextPass(facts: PassFacts): NextPass {
  const { end, moved, unseen } = facts
  if (end === 'held-too-long') {
    const isWorthIt = moved > 0 || facts.isPaused || facts.isHeldUp
    return isWorthIt ? { kind: 'again' } : { kind: 'end', outcome: 'held-too-long' }
  }
  // It says nothing of their targets. A copy that did arrive is among the duplicates possible.
  if (facts.isUnanswered && !facts.isLimitReached && facts.idlePasses < mostUnansweredPasses)
    return { kind: 'again' }
  if (isWorthAnotherChannel(facts)) return { kind: 'again-when-led' }
  if (unseen <= 0 || facts.isLimitReached || end === 'stopped') return { kind: 'end', outcome: 'done' }
  // Acks that were in doubt had arrived, or others put messages in front: some of those counted are still to come.
  if (end === 'all-seen') {
    return facts.idlePasses < mostIdlePasses ? { kind: 'again' } : interrupted('no-progress')
  }
  if (!facts.hasLostNode) return { kind: 'end', outcome: 'done' } // others took them
  return facts.returnsInMs > 0 ? { kind: 'again-when-returned' } : interrupted('node-lost')
}

/** What lost passes have done to messages that are still in the queue. */
export interface Losses {
  /** Every one of them has counted a return against messages that had one already, or moved none. */
  readonly count: number
  /** This many messages, from the head of the queue, have such a return. */
  readonly endangered: number
}

export const noLosses: Losses = { count: 0, endangered: 0 }

export interface LostPass {
  /** It was sent messages. */
  readonly hasTaken: boolean
  readonly moved: number
  /** The most that it held at a time. */
  readonly held: number
}

/**
 * Counts a lost pass. What it held has gone back, with a return counted against each message. Some that were moved
 * are no excuse: a connection that breaks after each of them would go through all returns of the others. Only once all
 * that were given back are moved it is as if nothing had been lost.
 */
export function countLoss(before: Losses, { hasTaken, moved, held }: LostPass): Losses {
  const left = before.endangered - moved
  const gaveBack = hasTaken && moved < held
  const isAgain = left > 0 || moved === 0
  const count = (left > 0 ? before.count : 0) + (gaveBack && isAgain ? 1 : 0)
  return { count, endangered: Math.max(0, left, gaveBack ? held : 0) }
}

/** Such lost passes, if nothing limits the returns. */
const mostLosses = 100

/** Whether passes that took messages were lost too often: the return over the limit would delete messages. */
export function isLostTooOften(facts: { losses: number; returnLimit: number | undefined }): boolean {
  const { losses, returnLimit = Number.POSITIVE_INFINITY } = facts
  return losses >= Math.min(mostLosses, Math.max(1, Math.floor(returnLimit / 4)))
}

function interrupted(interruption: Interruption): NextPass {
  return { kind: 'end', outcome: 'interrupted', interruption }
}

/**
 * A target without a leader refuses like a full one, and a channel that met it keeps refusing. So the first refusal is
 * not final, but a second one on a new channel is, unless others went through in the meantime.
 */
function isWorthAnotherChannel({ isRefusalRetriable, refusalRetries, moved }: PassFacts): boolean {
  if (!isRefusalRetriable) return false
  return refusalRetries === 0 || (moved > 0 && refusalRetries < mostRefusalRetries)
}
