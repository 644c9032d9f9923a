import type { PublishResult } from '../../publisher/publish-result.ts'
import type { Recount } from '../decide/decide-admission.ts'
import type { Outcome } from '../decide/decide-outcome.ts'
import type { Settled, SettledOutcome } from '../settle/settlement.ts'
import type { Run } from './run.ts'

/** What became of a delivery. Places, breaker, memories, events, logs and metrics all read this one value. */
export type DeliveryResult =
  | Settled
  /** The broker was told nothing: the delivery waits here for its time, and is then run again, or given back. */
  | { readonly kind: 'kept'; readonly outcome: KeptOutcome }
  /** The copy that a near delivery limit asks for found no place: the message is run in its turn, whatever the limit. */
  | { readonly kind: 'not-recounted'; readonly outcome: Recount }

export type KeptOutcome = Outcome & { readonly kind: 'hold' | 'requeue' }

/**
 * Listens to a run: first to its outcome, then to each copy that could not be published, and last, once, to its
 * result. The first two cannot wait for the result: a copy may be tried for minutes, and until the breaker knows,
 * others start and fail.
 */
export interface RunListener {
  /** The handler has answered, or is not run at all; the broker is not yet told. */
  decided(run: Run, outcome: Outcome): void
  unplaced(run: Run, copy: UnplacedCopy): void
  ended(run: Run, result: DeliveryResult): void
}

/** A copy that could not be published. The delivery is still ours. */
export interface UnplacedCopy {
  readonly outcome: SettledOutcome
  readonly result: PublishResult
  /** When it is tried again. */
  readonly nextAttemptMs: number
  /** The target accepts nothing. Otherwise this message is at fault, or another one, and the target may accept others. */
  readonly isPlaceAtFault: boolean
}
