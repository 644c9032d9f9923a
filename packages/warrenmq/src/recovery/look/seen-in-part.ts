import { RecoveryError } from '../../errors.ts'

/** A look that ended early, and what follows from that. */
export interface PartialLook {
  /** The queue that could not be read to its end. */
  readonly queue: string
  /** What cannot be said now, as the end of a sentence: `nobody knows which records are there already`. */
  readonly unknown: string
  /** A sentence that says what helps. */
  readonly wayOut: string
}

/**
 * The error of a look that ended before it had seen everything, if an answer from a part would be wrong.
 * @example
 * ```ts
 * throw seenInPart({ queue: 'orders.dlq', unknown: 'the causes are not known', wayOut: 'Look again.' })
 * ```
 */
export function seenInPart({ queue, unknown, wayOut }: PartialLook, options?: ErrorOptions): RecoveryError {
  const problem = {
    code: 'RECOVERY_HELD_TOO_LONG',
    message: `The messages of "${queue}" had to go back before all were looked at, so ${unknown}. ${wayOut}`,
  } as const
  return new RecoveryError(problem, options)
}
