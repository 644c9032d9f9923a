import { type ChildProcess, execFile, type SpawnOptionsWithoutStdio, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { onTestFinished } from 'vitest'
import type { TestVhost } from '../support/use-broker.ts'

const main = resolve('packages/cli/dist/main.js')

/** A folder of its own and, where a test needs one, a vhost of its own: a plan looks at all of it. */
export function setupCli(config?: string | object, broker?: TestVhost): CliRig {
  const folder = mkdtempSync(join(tmpdir(), 'warren-cli-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const write = (name: string, content: string | object) =>
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
  if (config !== undefined) write('warren.config.yaml', config)
  const env = broker === undefined ? {} : addressOf(broker)
  return {
    write,
    read: (name: string) => readFileSync(join(folder, name), 'utf8'),
    has: (name: string) => existsSync(join(folder, name)),
    warren: (args: string, extraEnv: Record<string, string> = {}) =>
      run(args.split(' '), { folder, env: { ...env, ...extraEnv } }),
  }
}

export function addressOf({ url, managementUrl, username, password }: TestVhost): Record<string, string> {
  const management = new URL(managementUrl)
  management.username = username
  management.password = password
  return { AMQP_URL: url, MANAGEMENT_URL: management.href }
}

/** One folder with a command in it. */
export interface CliRig {
  write(name: string, content: string | object): void
  read(name: string): string
  has(name: string): boolean
  /** Runs `warren` with these words, separated by spaces. */
  warren(args: string, extraEnv?: Record<string, string>): Promise<Ended>
}

export interface Ended {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs the built command as a person would, without a terminal. */
function run(
  args: readonly string[],
  { folder, env }: { folder: string; env: Record<string, string> },
): Promise<Ended> {
  return new Promise((done) => {
    const options = {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', ...env },
      maxBuffer: 16 * 1024 * 1024,
    }
    const child = execFile(process.execPath, [main, ...args], options, (error, stdout, stderr) => {
      done({ exitCode: typeof error?.code === 'number' ? error.code : 0, stdout, stderr })
    })
    onTestFinished(() => void child.kill('SIGKILL')) // one that did not end in time
  })
}

/** A topic exchange and one queue with two delays. */
export const orders = {
  exchanges: { events: { type: 'topic' } },
  queues: { orders: { bind: [{ exchange: 'events', key: 'order.*' }], retry: { delays: ['5s', '1m'] } } },
} as const

/** A command that runs until the test is done, once it has said its one JSON document. */
export async function startCommand<Said>(
  words: readonly string[],
  options: SpawnOptionsWithoutStdio = {},
): Promise<{ readonly child: ChildProcess; readonly said: Said; readonly log: () => string }> {
  const child = spawn(process.execPath, [main, ...words, '--json'], options)
  onTestFinished(() => void child.kill('SIGKILL'))
  let stderr = ''
  child.stderr.on('data', (piece) => {
    stderr += String(piece)
  })
  let stdout = ''
  for await (const piece of child.stdout) {
    stdout += String(piece)
    if (stdout.endsWith('}\n')) break
  }
  if (stdout === '') throw new Error(`It ended before it began: ${stderr}`)
  return { child, said: JSON.parse(stdout) as Said, log: () => stderr }
}
