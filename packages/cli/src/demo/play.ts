import type { Terminal } from '../output/terminal.ts'
import type { Stage } from './open-stage.ts'

/** What every chapter of the story needs. */
export interface Play {
  readonly stage: Stage
  readonly terminal: Terminal
  /** The title of the next chapter. */
  readonly chapter: (title: string) => void
  /** Runs a task when the story is over, however it ends; the last one first. */
  readonly atEnd: (task: () => Promise<unknown>) => void
}

export function startPlay(fields: Pick<Play, 'stage' | 'terminal' | 'atEnd'>): Play {
  const { say, paint } = fields.terminal
  let number = 0
  return {
    ...fields,
    chapter: (title) => {
      number += 1
      say()
      say(paint('bold', `${number}. ${title}`))
    },
  }
}
