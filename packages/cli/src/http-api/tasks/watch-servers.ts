import { RecoveryError, settledDepth } from 'warrenmq/operations'
import type { Task } from '../contract/contract.ts'
import type { QueueTurns } from '../guards/queue-turns.ts'
import { problemOf } from '../problems.ts'
import type { ServerBroker } from '../server-broker.ts'
import { countInterrupted, countInterruptedEdit } from './count-interrupted.ts'
import { editInterrupted } from './edit-interrupted.ts'
import { findEdited } from './find-edited.ts'
import { isServerThere } from './presence.ts'
import type { SharedTask } from './shared-task.ts'
import type { TaskBoard } from './task-board.ts'
import { isEnded } from './task-state.ts'

export interface ServerWatch {
  readonly board: TaskBoard
  readonly broker: Omit<ServerBroker, 'topology'>
  readonly turns: QueueTurns
  readonly lookTimeoutMs: number
  /** @default 1000 */
  readonly everyMs?: number | undefined
  /** A run of this server that never began, although the broker may have its record. */
  readonly isAbandoned: (shared: SharedTask) => boolean
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
    // What is not signed is not looked after: to write it down once more would be to sign it.
    const open = board.list().filter(({ task }) => task.isSigned && !isEnded(task.state))
    for (const shared of open.filter(watch.isAbandoned)) await interrupt(watch, shared).catch(onUntold)
    const others = open.filter(({ server }) => server !== board.server)
    const missing = new Set<string>()
    for (const presence of new Set(others.map((shared) => shared.presence)))
      if (!(await isServerThere(watch.broker, presence))) missing.add(presence)
    // Missing twice: one that lost its connection is mostly back by then.
    for (const shared of others)
      if (missing.has(shared.presence) && missingBefore.has(shared.presence))
        await interrupt(watch, shared).catch(onUntold)
    missingBefore = missing
  }

  // One that cannot be told of now is tried again, and must not hold up the others.
  function onUntold(error: unknown): void {
    const isLocked = error instanceof RecoveryError && error.code === 'RECOVERY_LOCKED'
    if (!isLocked) onError(error)
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

async function interrupt(watch: ServerWatch, { task, asked }: SharedTask): Promise<void> {
  const { board, broker, onInterrupted } = watch
  const found = asked.kind === 'edit' ? await findOutEdit(watch, task, asked.key) : await findOut(watch, task)
  const shared = board.get(task.id)
  if (!shared || isEnded(shared.task.state)) return
  if (!watch.isAbandoned(shared) && (await isServerThere(broker, shared.presence))) return
  const endedAt = new Date().toISOString()
  const interrupted: Task = { ...shared.task, state: 'interrupted', endedAt, ...found(shared.task.progress) }
  await board.write({ ...shared, task: interrupted })
  onInterrupted(interrupted)
}

/** What is to be told of a task that is interrupted, once its last counts are known. */
type Finding = (progress: Task['progress']) => Pick<Task, 'progress' | 'problem'>

async function findOut({ broker }: ServerWatch, task: Task): Promise<Finding> {
  const depth = await countReturned(broker, task)
  return (progress) => ({ progress: countInterrupted(progress, depth), problem: null })
}

async function findOutEdit(watch: ServerWatch, task: Task, key: string): Promise<Finding> {
  await countReturned(watch.broker, task)
  const { queue } = task
  const edited = await findEdited(watch, { queue, key })
  return (progress) => ({
    progress: countInterruptedEdit(progress, edited),
    problem: problemOf(editInterrupted(queue, edited)),
  })
}

/** What it moved and did not tell is waited for as long as what it held could still be on its way back. */
function countReturned(
  { consuming }: ServerWatch['broker'],
  { queue, progress: { present, moved } }: Task,
): Promise<number | undefined> {
  return settledDepth(consuming, queue, { atLeast: present - moved }).catch(() => undefined)
}
