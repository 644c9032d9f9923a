import type { DeferRule, DelayTier, RetryRule } from '../../topology/queue-flow.ts'

/** How a message waits before its next attempt: in the loop of its queue, or in the wait queue of a tier. */
export type RetryDelay =
  | {
      /** The message is rejected, and the broker moves it to the wait queue. */
      readonly by: 'reject'
      /** The delay of the wait queue, in milliseconds. */
      readonly delayMs: number
    }
  | {
      /** The message is published to the wait queue. */
      readonly by: 'publish'
      /** The delay, in milliseconds. */
      readonly delayMs: number
      /** The wait queue. */
      readonly tier: DelayTier
    }

/**
 * The delay before an attempt. A wish takes the nearest tier not below it; one beyond every tier takes the
 * longest. A reject loop has one delay, whatever is wished.
 */
export function decideRetryDelay({
  rule,
  failedAttempt,
  wishedMs,
}: {
  readonly rule: RetryRule
  /** The attempt that just failed, from 1. */
  readonly failedAttempt: number
  readonly wishedMs: number | undefined
}): RetryDelay {
  if (rule.kind === 'reject') return { by: 'reject', delayMs: rule.delayMs }
  const scheduled = rule.scheduleMs[Math.min(failedAttempt, rule.scheduleMs.length) - 1]
  const tier = tierFrom(rule.tiers, wishedMs ?? scheduled ?? 0)
  return { by: 'publish', delayMs: tier.delayMs, tier }
}

/** How a message waits until a time. */
export type Deferral =
  | { readonly by: 'hold'; readonly delayMs: number }
  | { readonly by: 'requeue'; readonly delayMs: number }
  | { readonly by: 'publish'; readonly delayMs: number; readonly tier: DelayTier }

export interface HoldingLimits {
  /** Waits up to this long are held in the process. */
  readonly shortMs: number
  /** No delivery is held longer than this, because the broker's acknowledgement timeout follows. */
  readonly longestMs: number
  /** False when as many are held as can be without starving the handlers. */
  readonly hasRoom: boolean
}

/**
 * Short waits are held. Long ones go to the longest tier that does not overshoot, and come back to wait for the rest.
 * A tier that overshoots is used only if every tier does, and only if the wait cannot be held.
 */
export function decideDeferral({
  rule,
  delayMs,
  holding,
}: {
  readonly rule: DeferRule
  readonly delayMs: number
  readonly holding: HoldingLimits
}): Deferral {
  const heldMs = Math.min(delayMs, holding.longestMs)
  if (rule.short === 'sleep-and-requeue') return { by: 'requeue', delayMs: heldMs }
  if (delayMs <= holding.shortMs && holding.hasRoom) return { by: 'hold', delayMs }
  const within = rule.tiers.findLast((tier) => tier.delayMs <= delayMs)
  if (within) return { by: 'publish', delayMs: within.delayMs, tier: within }
  const first = rule.tiers[0]
  const canBeHeld = holding.hasRoom && delayMs <= holding.longestMs
  if (first && !canBeHeld) return { by: 'publish', delayMs: first.delayMs, tier: first }
  // Without a tier, a message beyond the longest hold is given back and comes again.
  return delayMs <= holding.longestMs ? { by: 'hold', delayMs } : { by: 'requeue', delayMs: heldMs }
}

function tierFrom(tiers: readonly DelayTier[], wishedMs: number): DelayTier {
  return tiers.find((tier) => tier.delayMs >= wishedMs) ?? tiers.at(-1)!
}
