import { settledDepth } from '../../recovery/count-queue.ts'
import type { BrokerLine } from '../broker-line.ts'
import type { Task } from '../contract.ts'
import { countInterrupted } from './decide-interruption.ts'
import { isServerThere } from './presence.ts'
import type { TaskBoard } from './task-board.ts'
import type { SharedTask } from './task-board-state.ts'
import { isEnded } from './task-state.ts'

export interface ServerWatch {
  readonly board: TaskBoard
  readonly line: Pick<BrokerLine, 'consuming' | 'management' | 'vhost'>
  /** @default 1000 */
  readonly everyMs?: number | undefined
  /** A server is gone, and this is what it left. */
  readonly onInterrupted: (task: Task) => void
  /** The broker could not be asked; it is asked again. */
  readonly onError: (error: unknown) => void
}

/** Looks after the tasks of other servers: what a server left behind that is gone becomes `interrupted`. */
export function watchServers(watch: ServerWatch): { readonly close: () => void } {
  const { board, everyMs = 1_000, onError } = watch
  let missingBefore: ReadonlySet<string> = new Set()
  let timer: NodeJS.Timeout
  let isClosed = false

  async function lookOnce(): Promise<void> {
    const open = board.list().filter(({ task, server }) => server !== board.server && !isEnded(task.state))
    const missing = new Set<string>()
    for (const presence of new Set(open.map((shared) => shared.presence)))
      if (!(await isServerThere(watch.line, presence))) missing.add(presence)
    // Missing twice: one that lost its connection is mostly back by then.
    for (const shared of open)
      if (missing.has(shared.presence) && missingBefore.has(shared.presence)) await interrupt(watch, shared)
    missingBefore = missing
  }

  function lookSoon(): void {
    timer = setTimeout(() => {
      void lookOnce()
        .catch(onError)
        .finally(() => {
          if (!isClosed) lookSoon()
        })
    }, everyMs)
    timer.unref()
  }

  lookSoon()
  return {
    close: () => {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

async function interrupt({ board, line, onInterrupted }: ServerWatch, { task }: SharedTask): Promise<void> {
  const { present, moved } = task.progress
  // What it moved and did not tell is waited for as long as what it held could still be on its way back.
  const depth = await settledDepth(line.consuming, task.queue, present - moved).catch(() => undefined)
  const shared = board.get(task.id)
  if (!shared || isEnded(shared.task.state) || (await isServerThere(line, shared.presence))) return
  const progress = countInterrupted(shared.task.progress, depth)
  const endedAt = new Date().toISOString()
  const interrupted: Task = { ...shared.task, state: 'interrupted', endedAt, progress }
  await board.write({ ...shared, task: interrupted })
  onInterrupted(interrupted)
}
