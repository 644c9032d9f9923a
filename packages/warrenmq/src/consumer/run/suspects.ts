import type { Clock } from '../../clock.ts'
import type { Run } from './run.ts'

/** Messages that may have ended a process, and wait: marked copies to be run alone, others for their turn to be marked. */
export interface Suspects {
  size(): number
  firstAlone(): Run | undefined
  add(run: Run): void
  takeAlone(): Run | undefined
  /**
   * The one that was run alone least often, so that those who have nothing to do with it are soon done. One at a time: each
   * marked copy that is delivered and not run when the process ends would count as run.
   */
  takeToMark(): Run | undefined
  /** The one that was taken has left. Until its copy is back here, or for a second if that went elsewhere, no other is marked. */
  left(isBackSoon: boolean): void
  removeWaiting(isRemoved: (run: Run) => boolean): Run[]
}

const returnsWithinMs = 1_000

export function createSuspects({
  clock,
  mayGoOn,
}: {
  readonly clock: Clock
  /** The next one may be marked. */
  readonly mayGoOn: () => void
}): Suspects {
  let alone: Run[] = []
  let suspects: Run[] = []
  let isMarking = false
  let callOff: (() => void) | undefined

  function arrived(): void {
    callOff?.()
    callOff = undefined
    isMarking = false
  }

  return {
    size() {
      return alone.length + suspects.length
    },
    firstAlone() {
      return alone[0]
    },
    add: (run) => {
      if (run.standing.kind === 'alone') {
        arrived()
        alone.push(run)
      } else suspects.push(run)
    },
    takeAlone: () => alone.shift(),
    takeToMark: () => {
      if (isMarking || alone.length > 0 || suspects.length === 0) return undefined
      isMarking = true
      const least = suspects.reduce((one, other) => (runsOf(other) < runsOf(one) ? other : one))
      suspects = suspects.filter((run) => run !== least)
      return least
    },
    left: (isBackSoon) => {
      if (!isBackSoon) arrived()
      // It may have come back before it was confirmed.
      if (!isMarking) return
      callOff ??= clock.schedule(returnsWithinMs, () => {
        arrived()
        mayGoOn()
      })
    },
    removeWaiting: (isRemoved) => {
      const removed = [...alone, ...suspects].filter(isRemoved)
      alone = alone.filter((run) => !isRemoved(run))
      suspects = suspects.filter((run) => !isRemoved(run))
      return removed
    },
  }
}

function runsOf({ standing }: Run): number {
  return standing.kind === 'suspect' ? standing.runsAlone : 0
}
