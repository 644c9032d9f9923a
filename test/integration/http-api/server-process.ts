import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { TestVhost } from '../../support/use-broker.ts'
import { basic, serverKey } from './api-rig.ts'

/** `warren serve` in a process of its own, so that it can be killed. */
export interface ServerProcess {
  readonly url: string
  get<Body>(path: string): Promise<Body>
  post<Body>(path: string, body?: object): Promise<Body>
  kill9(): Promise<void>
}

export async function startServerProcess(broker: TestVhost, config?: object): Promise<ServerProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'warren-serve-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  if (config) await writeFile(join(folder, 'warren.config.json'), JSON.stringify(config))
  const script = new URL('./serve-process.mjs', import.meta.url).pathname
  const args = [script, 'serve', '--port', '0', '--json']
  const management = new URL(broker.managementUrl)
  management.username = broker.username
  management.password = broker.password
  const address = { AMQP_URL: broker.url, MANAGEMENT_URL: management.href }
  const env = { PATH: process.env.PATH ?? '', ...address, ...serverKey }
  const child = spawn(process.execPath, args, { cwd: folder, env })
  onTestFinished(() => void child.kill('SIGKILL'))
  const { url, error } = JSON.parse(await firstDocument(child)) as { url: string; error?: unknown }
  if (error) throw new Error(`The server did not start: ${JSON.stringify(error)}`)
  const authorization = basic(broker.username, broker.password)
  return {
    url,
    get: (path) => call(`${url}${path}`, { headers: { authorization } }),
    post: (path, body) =>
      call(`${url}${path}`, {
        method: 'POST',
        headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      }),
    kill9: async () => {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** What it prints once it listens. */
function firstDocument(child: ChildProcessWithoutNullStreams): Promise<string> {
  return new Promise((done, reject) => {
    let printed = ''
    let said = ''
    child.stderr.on('data', (chunk) => {
      said += chunk
    })
    child.stdout.on('data', (chunk) => {
      printed += chunk
      if (printed.endsWith('}\n')) done(printed)
    })
    child.on('exit', () => reject(new Error(`The server ended before it listened: ${said}`)))
  })
}

async function call<Body>(url: string, init: RequestInit): Promise<Body> {
  const answer = await fetch(url, init)
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${init.method ?? 'GET'} ${url} answered ${answer.status}: ${text}`)
  return JSON.parse(text) as Body
}
