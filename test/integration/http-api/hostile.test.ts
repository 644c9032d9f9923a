import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type {
  DlqList,
  OpenedSession,
  Problem,
  Task,
} from '../../../packages/cli/src/http-api/contract/contract.ts'
import { eventually } from '../../support/eventually.ts'
import { type ApiRig, basic, deadLetterTo, setUpApi, startApiRig } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

// A folder of its own, to see what is left in it.
process.env.TMPDIR = mkdtempSync(join(tmpdir(), 'warren-hostile-'))
const broker = await useApiBroker()
afterAll(() => rmSync(tmpdir(), { recursive: true, force: true }))
const { headers, username, password } = broker
const { authorization } = headers

/** For whoever needs no settings of their own. */
let shared: ApiRig
beforeAll(async () => {
  shared = await startApiRig(broker)
})
afterAll(() => shared.close())

/** A client that says what it likes and reads when it likes. */
async function dial(url: string, text: string): Promise<Socket & { readonly answered: () => string }> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  let answer = ''
  socket.on('data', (piece) => {
    answer += String(piece)
  })
  socket.on('error', () => {}) // the server may cut it off at any moment
  await once(socket, 'connect')
  socket.write(text)
  return Object.assign(socket, { answered: () => answer })
}

function head(method: string, path: string, more: readonly string[] = []): string {
  return [`${method} ${path} HTTP/1.1`, 'host: 127.0.0.1', ...more, '', ''].join('\r\n')
}

/** Of ten reconnects each; WARREN_RECONNECTS=10000 for as many as somebody could wish. */
const rounds = Number(process.env.WARREN_RECONNECTS ?? 200) / 10

const halfBody = ['content-type: application/json', 'content-length: 100']

describe('a body that never comes to its end', () => {
  it('of somebody whom nobody knows holds up nobody else', async () => {
    const rig = await setUpApi({ ...broker, server: { limits: { requests: 10 } } })
    const url = await rig.listen()
    const clients = Array.from({ length: 20 }, () =>
      dial(url, `${head('POST', '/api/v1/session', halfBody)}{`),
    )
    const sockets = await Promise.all(clients)

    // Those beyond what is kept for logins are told to come again.
    await eventually(() => expect(sockets.some((socket) => socket.answered().includes(' 503 '))).toBe(true))
    const answer = await fetch(`${url}/api/v1/dlqs`, { headers })

    expect(answer.status).toBe(200)
  })

  it('is given up, and its sender told so', async () => {
    const rig = await setUpApi({ ...broker, server: { limits: { bodyTimeout: '300ms' } } })
    const url = await rig.listen()
    const path = head('POST', '/api/v1/redrives', [...halfBody, `authorization: ${authorization}`])

    const socket = await dial(url, `${path}{"queue":`)
    await once(socket, 'close')

    expect(socket.answered()).toMatch(/^HTTP\/1\.1 408 /)
    expect(socket.answered()).toContain('API_REQUEST_INVALID')
  })

  it('of somebody who is refused is not waited for', async () => {
    const rig = await setUpApi(broker)
    const url = await rig.listen()

    const socket = await dial(url, `${head('POST', '/api/v1/redrives', halfBody)}{`)
    await eventually(() => expect(socket.answered()).toMatch(/^HTTP\/1\.1 401 /))
  })
})

describe('credentials', () => {
  it('that are guessed all at once are hardly more than those that are guessed one by one', async () => {
    const rig = await setUpApi(broker)
    const guess = (at: number) =>
      rig.app.inject({
        url: '/api/v1/dlqs',
        remoteAddress: '10.7.7.7',
        headers: { authorization: basic(username, `guess-${at}`) },
      })

    const answers = await Promise.all(Array.from({ length: 60 }, (_, at) => guess(at)))

    const checked = answers.filter(({ statusCode }) => statusCode === 401)
    expect(checked.length).toBeGreaterThanOrEqual(10)
    expect(checked.length).toBeLessThan(20)
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([401, 429]))
  })

  it('that are right are taken from many at once', async () => {
    const rig = await setUpApi(broker)
    const ask = () => rig.app.inject({ url: '/api/v1/my/permissions', headers, remoteAddress: '10.7.7.8' })

    const answers = await Promise.all(Array.from({ length: 60 }, ask))

    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
  })

  it('are counted by network where an address costs nothing', async () => {
    const rig = await setUpApi(broker)
    const guess = (at: number) =>
      rig.app.inject({
        url: '/api/v1/dlqs',
        remoteAddress: `2001:db8:1:2:${at.toString(16)}::1`,
        headers: { authorization: `Bearer warren_nobody-${at}` },
      })

    const statuses: number[] = []
    for (let at = 0; at < 11; at += 1) statuses.push((await guess(at)).statusCode)

    expect(statuses.at(-1)).toBe(429)
  })

  it('in a URL open nothing, and stand in no log', async () => {
    const lines: string[] = []
    const logger = { level: 'info', stream: { write: (line: string) => void lines.push(line) } }
    const rig = await setUpApi({ ...broker, logger })
    const secrets = ['access_token', 'token', 'authorization', 'where', 'csrf']

    const answers = secrets.map((name) => rig.app.inject({ url: `/api/v1/dlqs?${name}=warren_hidden` }))
    const lost = await rig.app.inject({ url: '/nowhere?token=warren_hidden' })

    for (const answer of await Promise.all(answers)) {
      expect(answer.statusCode).toBe(401)
      expect(answer.body).not.toContain('hidden')
    }
    expect(lost.statusCode).toBe(404)
    expect(lines.join('')).toContain('/api/v1/dlqs')
    expect(lines.join('')).not.toContain('hidden')
  })
})

describe('secrets', () => {
  it('of a request that fails stand in no log', async () => {
    const lines: string[] = []
    const logger = { level: 'trace', stream: { write: (line: string) => void lines.push(line) } }
    // A file where a folder is expected is a fault of the server.
    const rig = await setUpApi({ ...broker, logger, server: { backups: { folder: import.meta.filename } } })
    const cookie = 'warren_session=hidden-cookie'
    const wrong = basic('nobody', 'hidden-password')

    const answers = [
      await rig.app.inject({ url: '/api/v1/dlqs', headers: { authorization: wrong } }),
      await rig.app.inject({ url: '/api/v1/dlqs', headers: { cookie } }),
      await rig.app.inject({
        method: 'POST',
        url: '/api/v1/session',
        payload: { username: 'nobody', password: 'hidden-password' },
      }),
      await rig.app.inject({ url: '/api/v1/backups', headers: { ...headers, cookie } }),
    ]

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([401, 401, 401, 500])
    const log = lines.join('')
    expect(log).toContain('a request failed')
    for (const secret of ['hidden', wrong.slice(6), authorization.slice(6)]) expect(log).not.toContain(secret)
  })
})

describe('a session', () => {
  const payload = { username, password }
  const logIn = ({ app }: ApiRig, cookie?: string) =>
    app.inject({ method: 'POST', url: '/api/v1/session', payload, headers: cookie ? { cookie } : {} })

  it('that somebody else has planted is not the one that a login opens', async () => {
    const planted = String((await logIn(shared)).headers['set-cookie']).split(';')[0]!

    const answer = await logIn(shared, planted)
    const own = String(answer.headers['set-cookie']).split(';')[0]!
    const tokens = { cookie: planted, 'x-csrf-token': answer.json<OpenedSession>().csrfToken }
    const mixed = await shared.app.inject({ method: 'DELETE', url: '/api/v1/session', headers: tokens })

    expect(own).not.toBe(planted)
    expect(mixed.json<Problem>().code).toBe('API_CSRF_REFUSED')
  })

  it.each([
    ['a made-up one', 'warren_session=eyJhbGciOiJub25lIn0.e30.'],
    ['one that is not encrypted', 'warren_session=eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..AAAA.AAAA.AAAA'],
    ['an endless one', `warren_session=${'a'.repeat(12_000)}`],
    ['two at once', 'warren_session=a; warren_session=b'],
  ])('is none where it is %s', async (_, cookie) => {
    const answer = await shared.app.inject({ url: '/api/v1/dlqs', headers: { cookie } })

    expect(answer.statusCode).toBe(401)
  })

  it('is not enough for a change by a form of another site', async () => {
    const cookie = String((await logIn(shared)).headers['set-cookie']).split(';')[0]!
    const form = { cookie, 'content-type': 'application/x-www-form-urlencoded' }
    const plain = { cookie, 'content-type': 'text/plain' }
    const change = { method: 'POST', url: '/api/v1/redrives' } as const

    const answers = [
      await shared.app.inject({ ...change, headers: form, payload: 'queue=a' }),
      await shared.app.inject({ ...change, headers: plain, payload: '{"queue":"a"}' }),
      await shared.app.inject({
        ...change,
        headers: { ...plain, 'sec-fetch-site': 'cross-site' },
        payload: '{}',
      }),
      await shared.app.inject({ method: 'GET', url: '/api/v1/redrives', headers: { cookie } }),
    ]

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([403, 403, 403, 405])
  })
})

it('a filter with many * in it keeps nobody waiting', async () => {
  await shared.declareDlq('searched.dlq')
  await shared.publish([{ key: 'searched.dlq', body: 1, headers: { stack: 'at main '.repeat(500) } }])
  const find = async (where: string): Promise<number> => {
    const url = '/api/v1/dlqs/searched.dlq/messages'
    const answer = await shared.app.inject({ url, query: { where }, headers })
    return answer.json<{ items: unknown[] }>().items.length
  }

  expect(await find(`header.stack:${'*a'.repeat(30)}*x`)).toBe(0)
  expect(await find(`header.stack:${'*a'.repeat(30)}*`)).toBe(1)
})

describe('progress streams', () => {
  async function setup(queue: string) {
    const rig = await setUpApi(broker)
    await rig.declareDlq(queue)
    await rig.declareDlq(`${queue}.work`, deadLetterTo(queue))
    const message = { key: queue, body: 1, headers: { 'x-original-queue': `${queue}.work` } }
    await rig.publish(Array.from({ length: 50 }, () => message))
    const other = await setUpApi(broker)
    const url = await other.listen()
    const payload = { queue, ratePerSecond: 1 }
    const started = await rig.app.inject({ method: 'POST', url: '/api/v1/redrives', headers, payload })
    const { id } = started.json<Task>()
    const path = `/api/v1/tasks/${id}/events`
    await eventually(async () =>
      expect((await fetch(`${url}/api/v1/tasks/${id}`, { headers })).status).toBe(200),
    )
    return { other, url, request: head('GET', path, [`authorization: ${authorization}`]) }
  }

  it('leave nothing behind, however often somebody comes and goes', async () => {
    const { url, request } = await setup('reconnected.dlq')
    const resources = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const reconnect = async () => {
      const socket = await dial(url, request)
      await eventually(() => expect(socket.answered()).toContain('event: task'))
      socket.destroy()
    }
    await reconnect()
    const before = resources()

    for (let round = 0; round < rounds; round += 1) await Promise.all(Array.from({ length: 10 }, reconnect))

    await eventually(() => expect(resources()).toBeLessThanOrEqual(before + 5))
  }, 300_000)

  it('of one caller leave room for those of others', async () => {
    const { url, request } = await setup('greedy.dlq')
    const sockets = await Promise.all(Array.from({ length: 80 }, () => dial(url, request)))
    await eventually(() => expect(sockets.every((socket) => socket.answered() !== '')).toBe(true))

    const refused = sockets.filter((socket) => socket.answered().startsWith('HTTP/1.1 503'))
    const list = (await (await fetch(`${url}/api/v1/dlqs`, { headers })).json()) as DlqList

    expect(refused.length).toBe(30)
    expect(refused[0]!.answered()).toContain('API_BUSY')
    expect(list.items.length).toBeGreaterThan(0)
  })

  it('of tasks of other servers do not hold up a server that is told to stop', async () => {
    const { other, url, request } = await setup('elsewhere.dlq')
    const socket = await dial(url, request)
    await eventually(() => expect(socket.answered()).toContain('event: task'))

    const closed = other.app.close()
    await once(socket, 'close')
    await closed

    expect(socket.answered()).toMatch(/0\r\n\r\n$/)
  })
})

describe('an upload that is broken off', () => {
  it('restores nothing and leaves nothing behind, and the next one is taken', async () => {
    const rig = await setUpApi(broker)
    await rig.declareDlq('cut.dlq')
    await rig.publish([1, 2, 3].map((body) => ({ key: 'cut.dlq', body, messageId: `cut-${body}` })))
    const url = await rig.listen()
    const { rawPayload } = await rig.app.inject({ url: '/api/v1/dlqs/cut.dlq/backup', headers })
    const send = [`authorization: ${authorization}`, 'content-type: application/gzip']
    const leftFolders = (count: number) => eventually(() => expect(readdirSync(tmpdir())).toHaveLength(count))
    await leftFolders(0)

    const socket = await dial(url, head('POST', '/api/v1/restores', [...send, 'content-length: 1000000']))
    socket.write(rawPayload)
    await leftFolders(1)
    socket.resetAndDestroy()
    await leftFolders(0)
    const whole = await fetch(`${url}/api/v1/restores`, {
      method: 'POST',
      body: new Uint8Array(rawPayload),
      headers: { authorization, 'content-type': 'application/gzip' },
    })

    expect(whole.status).toBe(200)
    expect(await whole.json()).toMatchObject({ records: 3, restored: 0, alreadyThere: 3 })
    expect(await broker.depth('cut.dlq')).toBe(3)
  })
})
