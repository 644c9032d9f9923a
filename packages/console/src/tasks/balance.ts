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

/** Messages a second since it began; undefined: it is too early to say. */
export function rateOf(
  { startedAt, endedAt, progress }: Pick<Task, 'startedAt' | 'endedAt' | 'progress'>,
  nowMs: number,
): number | undefined {
  const seconds = ((endedAt === null ? nowMs : Date.parse(endedAt)) - Date.parse(startedAt)) / 1000
  return seconds >= 1 && progress.moved > 0 ? progress.moved / seconds : undefined
}

export function isOver({ endedAt }: Pick<Task, 'endedAt'>): boolean {
  return endedAt !== null
}
