import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import amqplib from 'amqplib'
import { describe, expect, it, onTestFinished } from 'vitest'
import type {
  AuditPage,
  DlqList,
  OpenedSession,
  Task,
} from '../../packages/cli/src/http-api/contract/contract.ts'
import { eventually } from '../support/eventually.ts'
import { setupCli, startCommand } from './cli-rig.ts'

/** Runs a command that goes on until it is told to stop, as soon as it has said where it is. */
async function start<Said>(
  words: readonly string[],
  { env = {}, config }: { env?: Record<string, string>; config?: object } = {},
): Promise<{ child: ChildProcess; said: Said; log: () => string }> {
  const folder = mkdtempSync(join(tmpdir(), 'warren-serve-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  if (config) writeFileSync(join(folder, 'warren.config.json'), JSON.stringify(config))
  return startCommand<Said>(words, { cwd: folder, env: { PATH: process.env.PATH ?? '', ...env } })
}

/** A broker of its own, with ten dead letters of `orders`. */
async function startBroker() {
  const words = ['broker', '--profile', '4.0', '--port', '0', '--management-port', '0']
  const { said } = await start<{ url: string; managementUrl: string }>(words)
  const connection = await amqplib.connect(said.url)
  const channel = await connection.createConfirmChannel()
  const args = { 'x-queue-type': 'quorum', 'x-delivery-limit': -1 }
  const way = { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'orders.dlq' }
  await channel.assertQueue('orders.dlq', { arguments: args })
  await channel.assertQueue('orders', { arguments: { ...args, ...way } })
  for (let at = 0; at < 10; at += 1)
    channel.sendToQueue('orders.dlq', Buffer.from(`{"at":${at}}`), {
      headers: { 'x-original-queue': 'orders' },
    })
  await channel.waitForConfirms()
  onTestFinished(() => connection.close().catch(() => undefined))
  return { env: { AMQP_URL: said.url, MANAGEMENT_URL: said.managementUrl }, channel }
}

async function logIn(url: string) {
  const answer = await fetch(`${url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'guest', password: 'guest' }),
  })
  expect(answer.status).toBe(201)
  const { csrfToken } = (await answer.json()) as OpenedSession
  return { cookie: answer.headers.get('set-cookie')!.split(';')[0]!, 'x-csrf-token': csrfToken }
}

describe('warren serve', () => {
  it('serves until SIGTERM: a log-in, a re-drive, its audit by `warren audit`, and a clean end', async () => {
    const { env, channel } = await startBroker()
    const { child, said, log } = await start<{ url: string; vhost: string }>(['serve', '--port', '0'], {
      env,
    })
    const { url } = said
    const browser = await logIn(url)
    const get = async <Body>(path: string): Promise<Body> =>
      (await (await fetch(`${url}${path}`, { headers: browser })).json()) as Body

    const { items } = await get<DlqList>('/api/v1/dlqs')
    const started = await fetch(`${url}/api/v1/redrives`, {
      method: 'POST',
      headers: { ...browser, 'content-type': 'application/json' },
      body: JSON.stringify({ queue: 'orders.dlq', reason: 'the shop is open again' }),
    })
    const { id } = (await started.json()) as Task
    const task = await eventually(async () => {
      const read = await get<Task>(`/api/v1/tasks/${id}`)
      expect(read.state).toBe('done')
      return read
    })
    const rig = setupCli()
    const audit = await rig.warren('audit --json', env)
    const verified = await rig.warren('audit --verify --json', env)
    const out = await fetch(`${url}/api/v1/session`, { method: 'DELETE', headers: browser })
    const after = await fetch(`${url}/api/v1/dlqs`, { headers: browser })
    const exited = once(child, 'exit')
    child.kill('SIGTERM')

    expect(await exited).toEqual([0, null])
    expect(items).toMatchObject([{ queue: 'orders.dlq', messages: 10 }])
    expect(task.progress).toMatchObject({ present: 10, moved: 10, failed: 0 })
    expect((await channel.checkQueue('orders')).messageCount).toBe(10)
    const { records } = JSON.parse(audit.stdout) as { records: AuditPage['items'] }
    expect(records.map(({ by, action }) => [by, action])).toEqual(
      expect.arrayContaining([
        ['guest', 'session.open'],
        ['guest', 'redrive'],
      ]),
    )
    expect(records.find(({ action }) => action === 'redrive')?.reason).toBe('the shop is open again')
    expect(verified.exitCode).toBe(0)
    expect(JSON.parse(verified.stdout)).toMatchObject({ kind: 'whole' })
    expect([out.status, after.status]).toEqual([204, 401])
    expect(log()).toContain(`at ${url}`)
    expect(log()).toContain('Stopped.')
    expect(log()).not.toContain(browser['x-csrf-token'])
    expect(log()).not.toMatch(/guest:guest|"password"/)
  })

  it('lets a token in that --new-token made, as far as its role goes', async () => {
    const { env } = await startBroker()
    const made = await setupCli().warren('serve --new-token ci --role viewer --json')
    const { token, hash } = JSON.parse(made.stdout) as { token: string; hash: string }
    const config = {
      queues: { other: {} },
      server: { auth: { tokens: [{ name: 'ci', role: 'viewer', hash }] } },
    }
    const { said, log } = await start<{ url: string }>(['serve', '--port', '0'], { env, config })
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

    const list = await fetch(`${said.url}/api/v1/dlqs`, { headers })
    const plan = await fetch(`${said.url}/api/v1/topology/plan`, { headers })
    const redrive = await fetch(`${said.url}/api/v1/redrives`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ queue: 'orders.dlq' }),
    })

    expect([list.status, plan.status, redrive.status]).toEqual([200, 200, 403])
    expect(log()).not.toContain(token)
  })

  it('says what is wrong with its config, its broker, its address or its port, and does not start', async () => {
    const { env } = await startBroker()
    const other = await startBroker()
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    onTestFinished(() => void taken.close())
    const { port } = taken.address() as { port: number }
    const open = setupCli({ queues: { a: {} }, server: { auth: 'none', host: '0.0.0.0' } })
    const wrong = setupCli({ queues: { a: {} }, server: { approval: { over: 10 } } })

    const results = [
      await open.warren('serve --json', env),
      await wrong.warren('serve --json', env),
      await setupCli().warren(`serve --port ${port} --json`, env),
      await setupCli().warren('serve --port 0 --json', { ...env, MANAGEMENT_URL: other.env.MANAGEMENT_URL }),
    ]

    expect(results.map(({ exitCode }) => exitCode)).toEqual([1, 1, 1, 1])
    const codes = results.map(({ stdout }) => (JSON.parse(stdout) as { error: { code: string } }).error.code)
    expect(codes).toEqual([
      ...['SERVER_UNPROTECTED', 'INVALID_ARGUMENT', 'SERVER_PORT_UNAVAILABLE'],
      'MANAGEMENT_NOT_PROVED',
    ])
  })
})

describe('warren audit', () => {
  it('shows the newest records to people, one on a line, and fails where the log was tampered with', async () => {
    const { env, channel } = await startBroker()
    const rig = setupCli()
    const without = await rig.warren('audit', env)
    await start(['serve', '--port', '0'], { env }) // makes the stream
    await rig.warren('audit', env)

    const shown = await rig.warren('audit --count 1', env)
    channel.sendToQueue('warren.audit', Buffer.from('{"hello":1}'))
    await channel.waitForConfirms()
    const verified = await rig.warren('audit --verify', env)

    expect(without.exitCode).toBe(1)
    expect(without.stderr).toMatch(/There is no stream warren\.audit/)
    expect(shown.exitCode).toBe(0)
    expect(shown.stdout.trim().split('\n')).toHaveLength(1)
    expect(shown.stdout).toMatch(/audit\.read warren\.audit/)
    expect(verified.exitCode).toBe(1)
    expect(verified.stderr).toMatch(/The audit log is broken at record/)
  })
})
