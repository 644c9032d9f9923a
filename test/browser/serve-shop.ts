import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { FailingShop } from './open-shop.ts'

export interface ServedShop {
  /** Of the server; the console is below it. */
  readonly url: string
  /** Ends it as a signal does. */
  stop(): Promise<void>
  /** Ends it as a power cut does. */
  kill(): Promise<void>
}

export interface ServeOptions {
  /** The config's server section. */
  readonly server?: object
  /** @default a free one */
  readonly port?: number
}

/** `warren serve`, as it is installed, on the broker of a shop. */
export async function serveShop(
  shop: FailingShop,
  { server = {}, port = 0 }: ServeOptions = {},
): Promise<ServedShop> {
  const folder = mkdtempSync(join(tmpdir(), 'warren-console-'))
  writeFileSync(join(folder, 'warren.config.json'), JSON.stringify({ ...shop.config, server }))
  const main = resolve('packages/cli/dist/main.js')
  const child = spawn(process.execPath, [main, 'serve', '--json', '--port', String(port)], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH ?? '',
      AMQP_URL: shop.broker.url,
      MANAGEMENT_URL: shop.broker.managementUrl,
      WARREN_SERVER_KEY: 'k'.repeat(32),
    },
  })
  const { url } = await readFirstLine(child)
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    const ended = new Promise((done) => child.once('exit', done))
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal)
      await ended
    }
    rmSync(folder, { recursive: true, force: true })
  }
  return { url, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') }
}

function readFirstLine({ stdout, stderr }: ChildProcess): Promise<{ readonly url: string }> {
  let said = ''
  stderr?.on('data', (chunk) => {
    said += String(chunk)
  })
  return new Promise((done, fail) => {
    let text = ''
    stdout?.on('data', (chunk) => {
      text += String(chunk)
      try {
        done(JSON.parse(text) as { url: string })
      } catch {
        // The document has not come to its end yet.
      }
    })
    stdout?.once('end', () => fail(new Error(`The server has ended: ${said}`)))
  })
}
