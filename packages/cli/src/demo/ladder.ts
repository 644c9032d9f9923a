export interface Rung {
  readonly delayMs: number
  /** Orders that waited so long before another attempt. */
  readonly waited: number
  /** Orders whose attempt after this wait worked. */
  readonly cameThrough: number
}

/** Counts how far up the delays orders had to go. */
export interface Ladder {
  failed(delayMs: number): void
  /** The attempt that worked, from 1. */
  worked(attempt: number): void
  rungs(): readonly Rung[]
}

export function createLadder(delaysMs: readonly number[]): Ladder {
  const rungs = delaysMs.map((delayMs) => ({ delayMs, waited: 0, cameThrough: 0 }))
  return {
    failed: (delayMs) => {
      const rung = rungs.find((each) => each.delayMs === delayMs)
      if (rung) rung.waited += 1
    },
    worked: (attempt) => {
      const rung = rungs[attempt - 2] // the first attempt waits for nothing
      if (rung) rung.cameThrough += 1
    },
    rungs: () => rungs.map((rung) => ({ ...rung })),
  }
}
