import type { Schemas } from '../api/api.ts'

type Task = Schemas['Task']

export const stateTones: Readonly<Record<Task['state'], 'accent' | 'warn' | 'good' | 'bad' | 'plain'>> = {
  running: 'accent',
  paused: 'warn',
  cancelling: 'warn',
  done: 'good',
  cancelled: 'plain',
  stopped: 'warn',
  failed: 'bad',
  interrupted: 'bad',
}

/** Where every message of the queue is. The parts are always all that were there. */
export interface Balance {
  readonly present: number
  readonly moved: number
  readonly failed: number
  readonly kept: number
  readonly stillThere: number
}

export function balanceOf({ progress: { present, moved, failed, kept } }: Pick<Task, 'progress'>): Balance {
  return { present, moved, failed, kept, stillThere: Math.max(0, present - moved - failed - kept) }
}

/** How many will be moved yet, at most: not all of the queue where a plan or a limit says less. */
export function restOf({ progress, limit }: Pick<Task, 'progress' | 'limit'>): number {
  const { moved, stillThere } = balanceOf({ progress })
  return limit === null ? stillThere : Math.min(stillThere, Math.max(0, limit - moved))
}

/** How many had moved, and when that was seen. */
export interface PaceSample {
  readonly atMs: number
  readonly moved: number
}

const paceWindowMs = 10_000
const leastPaceMs = 2_000

/** With one more, and without those too old to tell how fast it goes now; the last of them is where the window begins. */
export function addPaceSample(samples: readonly PaceSample[], sample: PaceSample): readonly PaceSample[] {
  const recent = samples.findLastIndex(({ atMs }) => atMs <= sample.atMs - paceWindowMs)
  return [...samples.slice(Math.max(0, recent)), sample]
}

/** Messages a second just now; undefined: it was not watched for long enough. */
export function paceOf(samples: readonly PaceSample[]): number | undefined {
  const [first, last] = [samples[0], samples.at(-1)]
  if (!first || !last || last.atMs - first.atMs < leastPaceMs) return undefined
  return (1000 * (last.moved - first.moved)) / (last.atMs - first.atMs)
}

export function isOver({ endedAt }: Pick<Task, 'endedAt'>): boolean {
  return endedAt !== null
}
