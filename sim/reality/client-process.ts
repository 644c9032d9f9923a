import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** A process of actors, started again when it ends before it was asked to. */
export interface ClientProcess<Task = unknown> {
  readonly task: Task
  /** It was killed -9 so often. */
  readonly kills: number
  /** Gives false if there is nobody to kill. */
  kill(): boolean
  /** Stands still until `goOn`; gives false if it cannot. */
  standStill(): boolean
  goOn(): void
  /** Asks it to finish what it does. Settles when it has ended. */
  end(): Promise<void>
  /** Kills it for good. */
  destroy(): void
}

/** To start a process costs as much as to start a node, nearly; so each lives for a while. */
const shortestLifeMs = 25_000

export interface ClientOptions {
  /** An operator begins to move dead letters. */
  readonly onDeed?: (seed: number) => void
  /** What it says of its errors is not shown. */
  readonly isQuiet?: boolean
}

export function startClient<Task>(
  script: string,
  task: Task,
  { onDeed = () => {}, isQuiet = false }: ClientOptions = {},
): ClientProcess<Task> {
  let child: ChildProcess
  let kills = 0
  let isEnding = false
  let isStanding = false
  let startedAt = 0

  const start = (): void => {
    startedAt = performance.now()
    isStanding = false
    child = spawn(process.execPath, [script, JSON.stringify(task)], {
      stdio: ['ignore', 'ignore', isQuiet ? 'ignore' : 'inherit', 'ipc'],
    })
    child.on('message', (message: { deedOf: number }) => onDeed(message.deedOf))
    child.on('exit', () => {
      if (!isEnding) start()
    })
    child.on('error', () => {})
  }
  start()

  return {
    task,
    get kills() {
      return kills
    },
    kill() {
      if (isEnding || !isAlive(child) || performance.now() - startedAt < shortestLifeMs) return false
      kills += 1
      return child.kill('SIGKILL')
    },
    standStill() {
      if (isEnding || isStanding || !isAlive(child)) return false
      isStanding = true
      return child.kill('SIGSTOP')
    },
    goOn() {
      isStanding = false
      if (isAlive(child)) child.kill('SIGCONT')
    },
    async end() {
      isEnding = true
      if (!isAlive(child)) return
      child.kill('SIGCONT')
      const ended = once(child, 'exit')
      if (child.connected) child.send('end')
      await ended
    },
    destroy() {
      isEnding = true
      child.kill('SIGKILL')
    },
  }
}

function isAlive({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null
}
