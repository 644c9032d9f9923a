import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type {
  CurrentSession,
  Demo,
  DlqList,
  Problem,
  Task,
} from '../../packages/cli/src/http-api/contract/contract.ts'
import { eventually } from '../support/eventually.ts'
import { setupCli, startCommand } from './cli-rig.ts'

async function start<Said>(words: readonly string[], env: Record<string, string> = {}) {
  const cwd = mkdtempSync(join(tmpdir(), 'warren-console-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  return startCommand<Said>(words, { cwd, env: { PATH: process.env.PATH ?? '', ...env } })
}

async function startBroker(): Promise<{ url: string; managementUrl: string }> {
  const words = ['broker', '--profile', '4.0', '--port', '0', '--management-port', '0']
  return (await start<{ url: string; managementUrl: string }>(words)).said
}

async function startConsole(words: readonly string[] = []) {
  const { url, managementUrl } = await startBroker()
  const place = ['--url', url, '--management-url', managementUrl]
  const served = await start<{ url: string }>(['console', ...place, ...words])
  return { ...served, link: served.said.url, origin: new URL(served.said.url).origin }
}

interface Answer {
  readonly status: number
  readonly location: string | undefined
  readonly cookie: string | undefined
  readonly body: string
}

/** As nobody but a program can ask: with any header, and without going on. */
async function ask(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  const asked = request(url, { headers, method }).end()
  const [answer] = (await once(asked, 'response')) as [import('node:http').IncomingMessage]
  let body = ''
  for await (const piece of answer) body += String(piece)
  const [cookie] = answer.headers['set-cookie'] ?? []
  return {
    status: answer.statusCode!,
    location: answer.headers.location,
    cookie: cookie?.split(';')[0],
    body,
  }
}

describe('warren console', () => {
  it('logs one browser in as the account of its URL, and ends when it is told to', async () => {
    const { child, link, origin, said } = await startConsole()

    const entered = await ask(link, { 'sec-fetch-site': 'none' })
    const headers = { cookie: entered.cookie! }
    const session = JSON.parse((await ask(`${origin}/api/v1/session`, headers)).body) as CurrentSession
    const page = await ask(`${origin}/console/`, headers)
    child.kill('SIGINT')
    const [code] = await once(child, 'exit')

    expect(said).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1\/session\/link\?/),
    })
    expect(entered).toMatchObject({ status: 303, location: '/console/' })
    expect(session).toMatchObject({ name: 'guest', role: 'admin', wayIn: 'broker-account', features: [] })
    expect(page.body).toContain('<html')
    expect(code).toBe(0)
  })

  it('lets nobody in by a link that was used, guessed, sent by a page or opened under another name', async () => {
    const { link, origin, log } = await startConsole(['--no-open'])
    const { port } = new URL(link)
    const { searchParams } = new URL(link)
    const secret = searchParams.get('secret')!
    const guess = `${origin}/api/v1/session/link?secret=${'A'.repeat(43)}`

    const refused = [
      await ask(guess),
      await ask(link, { host: `evil.example:${port}` }),
      await ask(link, { 'sec-fetch-site': 'cross-site' }),
      await ask(link, { origin: 'https://evil.example' }),
      await ask(link, {}, 'HEAD'),
    ]
    const entered = await ask(link)
    const again = await Promise.all([ask(link), ask(link)])

    expect(refused.map(({ status }) => status)).toEqual([401, 403, 403, 403, 405])
    expect(entered.status).toBe(303)
    expect(again.map(({ status }) => status)).toEqual([401, 401])
    expect(JSON.parse(again[0]!.body)).toMatchObject({ detail: expect.stringContaining('has been used') })
    expect([...refused, ...again].map(({ cookie }) => cookie)).toEqual(Array(7).fill(undefined))
    // What changes something needs the token of the session, which no other page can read.
    const cookie = entered.cookie!
    const changed = await fetch(`${origin}/api/v1/session`, { method: 'DELETE', headers: { cookie } })
    expect(changed.status).toBe(403)
    expect(log().split(secret)).toHaveLength(2) // in the link for people, and nowhere else
  })

  it('gives the session to one of several who come at once', async () => {
    const { link } = await startConsole()

    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(link)))

    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
    expect(answers.filter(({ cookie }) => cookie !== undefined)).toHaveLength(1)
  })

  it('says what an account lacks that would be let in nowhere', async () => {
    const { url, managementUrl } = await startBroker()
    const management = new URL(managementUrl)
    const login = { authorization: `Basic ${Buffer.from('guest:guest').toString('base64')}` }
    const put = (path: string, body: object) =>
      fetch(`${management.origin}${path}`, {
        method: 'PUT',
        headers: { ...login, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    await put('/api/users/ann', { password: 'ann', tags: '' })
    await put('/api/permissions/%2F/ann', { configure: '.*', write: '.*', read: '.*' })
    const asAnn = url.replace('guest:guest', 'ann:ann')

    const { exitCode, stdout, stderr } = await setupCli().warren(
      `console --url ${asAnn} --management-url ${managementUrl} --no-open --json`,
    )

    expect(exitCode).toBe(1)
    expect(`${stdout}${stderr}`).toContain('The RabbitMQ account \\"ann\\" may not use the console')
  })
})

describe('warren demo --console', () => {
  it('keeps a failing shop open whose clock the visitor turns, and puts its dead letters back', async () => {
    const { said, child } = await start<{ url: string }>(['demo', '--console', '--no-open'])
    const { origin } = new URL(said.url)
    const { cookie } = await ask(said.url)
    const read = async <Body>(path: string): Promise<Body> =>
      JSON.parse((await ask(`${origin}/api/v1/${path}`, { cookie: cookie! })).body) as Body
    const session = await read<CurrentSession>('session')
    const post = async <Body>(path: string, body: object, status: number): Promise<Body> => {
      const answer = await fetch(`${origin}/api/v1/${path}`, {
        method: 'POST',
        headers: {
          cookie: cookie!,
          'x-csrf-token': session.csrfToken!,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      })
      const text = await answer.text()
      expect(answer.status, text).toBe(status)
      return JSON.parse(text) as Body
    }

    const before = await read<Demo>('demo')
    const { items } = await read<DlqList>('dlqs')
    const turned = await post<Demo>('demo/clock', { forward: '40m' }, 200)
    await post<Demo>('demo/world', { isMended: true }, 200)
    const task = await post<Task>('redrives', { queue: 'shipping.dlq' }, 202)
    const done = await eventually(async () => {
      const now = await read<Task>(`tasks/${task.id}`)
      expect(now.state).toBe('done')
      return now
    })
    await eventually(async () => {
      const { orders } = await read<Demo>('demo')
      expect(orders.delivered).toBeGreaterThan(turned.orders.delivered)
    })
    const refused = await post<Problem>('demo/clock', { forward: '2d' }, 400)
    child.kill('SIGINT')
    const [code] = await once(child, 'exit')

    expect(session.features).toEqual(['demo'])
    expect(before.orders.placed).toBeGreaterThanOrEqual(400)
    expect(before.orders.parked).toBeGreaterThan(0)
    expect(items.find(({ queue }) => queue === 'shipping.dlq')?.messages).toBeGreaterThan(0)
    expect(Date.parse(turned.now) - Date.parse(before.now)).toBeGreaterThanOrEqual(40 * 60_000)
    expect(done.progress.moved).toBe(done.progress.present)
    expect(refused.detail).toContain('more than a day')
    expect(code).toBe(0)
  })
})
