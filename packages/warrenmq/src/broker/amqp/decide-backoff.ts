/** The pauses between attempts, in milliseconds. */
export interface BackoffPolicy {
  /**
   * The first pause, in milliseconds.
   * @example { initialMs: 250 }
   */
  readonly initialMs: number
  /**
   * The longest pause, in milliseconds.
   * @example { maxMs: 60_000 }
   */
  readonly maxMs: number
}

export const defaultBackoff: BackoffPolicy = { initialMs: 100, maxMs: 30_000 }

/** What lived shorter than this was not healthy: the pause before the next one keeps growing. */
export const healthyMs = 5_000

/**
 * How long to wait before the next attempt: doubling, with up to half of it taken off at random, so that a
 * thousand clients of one broker do not come back in the same instant.
 * @example
 * ```ts
 * const waitMs = decideBackoff({ failures: 3, isFinal: false, policy: { initialMs: 100, maxMs: 10_000 }, random: Math.random() })
 * ```
 */
export function decideBackoff(fields: {
  /** In a row. With 0 the last one was healthy: the next may come immediately, only not together with all others. */
  readonly failures: number
  /** A refusal that time alone will not mend (a wrong password) waits the longest from the start. */
  readonly isFinal: boolean
  readonly policy: BackoffPolicy
  /** From 0 (inclusive) to 1 (exclusive). */
  readonly random: number
}): number {
  const { failures, isFinal, policy, random } = fields
  if (failures === 0) return Math.round(Math.min(policy.initialMs, policy.maxMs) * random)
  const full = isFinal
    ? policy.maxMs
    : Math.min(policy.maxMs, policy.initialMs * 2 ** Math.min(failures - 1, 30))
  return Math.round(full * (1 - random / 2))
}
