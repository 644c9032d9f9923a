import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '../eventually.ts'
import { watchProcesses } from '../node/watchdog.ts'
import { excerpt } from '../run-command.ts'

export interface ServerPlan {
  readonly name: string
  readonly command: readonly [string, ...string[]]
  /** The server's own; removed with it. */
  readonly directory: string
  /** Throws until the server answers. */
  readonly greet: () => Promise<unknown>
  /** Ends it in the way of a crash. */
  readonly crashSignal: NodeJS.Signals
}

/** A server of this test process, which dies with it. */
export interface ServerProcess {
  /** Settles when it answers. Its data is what it had before. */
  start(): Promise<void>
  /** Ends it without a farewell; what it had not written is gone. */
  crash(): Promise<void>
  /** Ends it for good and removes its data. */
  destroy(): Promise<void>
}

export async function startServer(plan: ServerPlan): Promise<ServerProcess> {
  const { name, command, directory, greet, crashSignal } = plan
  const watchdog = watchProcesses(directory)
  const outputFile = join(directory, 'output.log')
  let child: ChildProcess | undefined

  async function start(): Promise<void> {
    const output = await open(outputFile, 'a')
    // The shell waits for a word before it becomes the server. If we die before the watchdog knows of the
    // process, the word never comes and the shell ends with its input.
    const started = spawn('sh', ['-c', 'read -r go && exec "$@" </dev/null', 'go', ...command], {
      cwd: '/',
      detached: true,
      stdio: ['pipe', output.fd, output.fd],
    })
    child = started
    await once(started, 'spawn')
    await output.close()
    const group = started.pid as number
    watchdog.guard(group)
    started.once('exit', () => watchdog.forget(group))
    started.stdin?.end('go\n')
    started.unref()
    await awaitAnswer(started)
  }

  async function awaitAnswer(started: ChildProcess): Promise<void> {
    const giveUp = new AbortController()
    const answered = eventually(greet, {
      timeoutMs: 120_000,
      what: `${name} to answer`,
      signal: giveUp.signal,
    })
    const died = once(started, 'exit', { signal: giveUp.signal }).then(async () => {
      const said = excerpt(await readFile(outputFile, 'utf8'))
      throw new Error(`${name} ended instead of starting:\n${said}`)
    })
    try {
      await Promise.race([answered, died])
    } finally {
      giveUp.abort()
      await Promise.allSettled([answered, died])
    }
  }

  async function crash(): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    child.ref()
    const ended = once(child, 'exit')
    child.kill(crashSignal)
    await ended
  }

  const server: ServerProcess = {
    start,
    crash,
    destroy: async () => {
      await crash()
      await watchdog.release()
    },
  }
  try {
    await start()
  } catch (error) {
    await server.destroy()
    throw error
  }
  return server
}
