import type { TakenMessage } from './redrive-event.ts'
import { leftOf, movedOf, type RedriveState } from './redrive-state.ts'

/** What a receipt says in numbers. Each is proved, or a bound that always holds. */
export interface RedriveNumbers {
  readonly present: number
  /** Publishes that the broker confirmed. */
  readonly published: number
  /** Out of the queue by an ack of ours, after a confirmed publish. */
  readonly moved: number
  /** Acks that were sent and not answered: at most this many more were moved. */
  readonly acksInDoubt: number
  /** Publishes that may be at their target, although they were not confirmed. */
  readonly unanswered: number
  /** No more copies than this exist besides one of each message. */
  readonly duplicatesPossible: number
  readonly failed: number
  readonly kept: number
  readonly stillThere: number
  /** More in the queue at the end than should be; undefined if it was not counted. */
  readonly arrivals: number | undefined
  readonly missing: number | undefined
}

export function readNumbers(
  state: Pick<RedriveState<TakenMessage>, 'flow' | 'counts' | 'pass' | 'ending'>,
): RedriveNumbers {
  const { flow, counts, pass, ending } = state
  const { count } = ending
  const moved = movedOf(state)
  const depth = count?.kind === 'counted' ? count.depth : count?.kind === 'gone' ? 0 : undefined
  const removed = flow.known + (pass.isGone ? pass.unsettled : 0)
  return {
    present: counts.present,
    published: flow.confirmed,
    moved,
    acksInDoubt: Math.max(0, flow.known + counts.inDoubt + (pass.isGone ? pass.unsettled : 0) - moved),
    unanswered: counts.mayBeThere,
    duplicatesPossible: flow.confirmed + counts.mayBeThere + counts.copies - removed,
    failed: flow.failed,
    kept: flow.kept,
    stillThere: counts.present - moved - flow.failed - flow.kept,
    arrivals: depth === undefined ? undefined : Math.max(0, depth - leftOf(state)),
    missing: depth === undefined ? undefined : Math.max(0, leftOf(state) - depth),
  }
}
