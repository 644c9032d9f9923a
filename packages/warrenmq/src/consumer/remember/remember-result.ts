import type { DeliveryResult } from '../run/delivery-result.ts'
import type { Run } from '../run/run.ts'
import type { GiveBackMemory } from './give-back-memory.ts'
import type { LostAckMemory } from './lost-ack-memory.ts'

export interface Memories {
  readonly lostAcks: LostAckMemory
  readonly giveBacks: GiveBackMemory
}

/** What is kept of a run for the case that its message is delivered again. */
export function rememberResult(run: Run, result: DeliveryResult, { lostAcks, giveBacks }: Memories): void {
  const { delivery } = run
  if (result.kind === 'settled') {
    if (result.isAcknowledged) lostAcks.acknowledged(delivery)
    if (result.outcome.kind === 'give-back') giveBacks.gaveBack(delivery)
    else if (run.givenBack) giveBacks.forget(delivery)
  } else if (result.kind === 'stale' && result.isDone) lostAcks.handled(delivery)
  // What is kept is still here, unless its channel went while its handler ran.
  else if (result.kind === 'stale' || !delivery.isCurrent) lostAcks.forget(delivery)
}
