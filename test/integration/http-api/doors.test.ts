import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type {
  AdminQueues,
  AuditPage,
  Problem,
  Task,
} from '../../../packages/cli/src/http-api/contract/contract.ts'
import { readServerSection } from '../../../packages/cli/src/http-api/read-server-section.ts'
import { declareQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { eventually } from '../../support/eventually.ts'
import { limitFileSize } from '../../support/limit-file-size.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { startProxy } from '../../support/start-proxy.ts'
import { type ApiRig, deadLetterTo, setUpApi } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const { headers, username, password } = broker

/** A dead-letter queue with some messages that go back to a queue of their own. */
async function setUpDlq(rig: ApiRig, name: string, count = 3): Promise<string> {
  const queue = `${namePerTry(name)}.dlq`
  await rig.declareDlq(queue)
  await rig.declareDlq(`${queue}.work`, deadLetterTo(queue))
  const message = { key: queue, headers: { 'x-original-queue': `${queue}.work` } }
  await rig.publish(Array.from({ length: count }, (_, body) => ({ ...message, body })))
  return queue
}

describe('HEAD', () => {
  it('of the progress of a task comes to its end', async () => {
    const rig = await setUpApi(broker)
    const queue = await setUpDlq(rig, 'head', 300)
    const payload = { queue, ratePerSecond: 1 }
    const { id } = (
      await rig.app.inject({ method: 'POST', url: '/api/v1/redrives', headers, payload })
    ).json<Task>()
    const url = await rig.listen()

    const answer = await fetch(`${url}/api/v1/tasks/${id}/events`, { method: 'HEAD', headers })
    const unknown = await fetch(`${url}/api/v1/tasks/${randomUUID()}/events`, { method: 'HEAD', headers })

    expect([answer.status, unknown.status]).toEqual([200, 404])
    expect(answer.headers.get('content-type')).toContain('text/event-stream')
  })

  it('of a backup makes none', async () => {
    const rig = await setUpApi(broker)
    const queue = await setUpDlq(rig, 'head-backup')

    const answer = await rig.app.inject({ method: 'HEAD', url: `/api/v1/dlqs/${queue}/backup`, headers })
    const audit = await rig.app.inject({ url: '/api/v1/audit', headers })

    expect(answer.statusCode).toBe(200)
    expect(audit.body).not.toContain(queue)
  })
})

it('what is shown of messages is kept by nobody on the way', async () => {
  const rig = await setUpApi(broker)
  const queue = await setUpDlq(rig, 'kept')
  const urls = [`/api/v1/dlqs/${queue}/messages`, `/api/v1/dlqs/${queue}/causes`, '/api/v1/audit']

  const answers = await Promise.all(urls.map((url) => rig.app.inject({ url, headers })))
  const list = await rig.app.inject({ url: '/api/v1/dlqs', headers })

  expect(answers.map((answer) => answer.headers['cache-control'])).toEqual(urls.map(() => 'no-store'))
  expect(list.headers['cache-control']).toBe('private, no-cache')
})

it.each([
  ['https://warren.example', true],
  ['http://warren.example', false],
])('the cookie of a browser that came by %s needs TLS: %s', async (origin, isSecure) => {
  const rig = await setUpApi(broker)

  const answer = await rig.app.inject({
    method: 'POST',
    url: '/api/v1/session',
    payload: { username, password },
    headers: { origin, host: 'warren.example' },
  })

  expect(answer.statusCode, answer.body).toBe(201)
  expect(/; Secure/.test(String(answer.headers['set-cookie']))).toBe(isSecure)
})

it('without the broker who logs in or reads the audit log is told at once', async () => {
  const proxy = await startProxy({ target: Number(new URL(broker.url).port) })
  onTestFinished(() => proxy.close())
  const rig = await setUpApi({ ...broker, url: proxy.urlFor(broker.url) })
  proxy.refuse()
  proxy.cutAll()
  await eventually(() => expect(rig.publishing.connection ?? rig.consuming.connection).toBeUndefined())

  const answers = await Promise.all([
    rig.app.inject({ url: '/api/v1/audit', headers }),
    rig.app.inject({ method: 'POST', url: '/api/v1/session', payload: { username, password } }),
  ])

  expect(answers.map(({ statusCode }) => statusCode)).toEqual([503, 503])
  expect(answers.map((answer) => answer.json<Problem>().code)).toEqual(['API_BUSY', 'API_BUSY'])
  await proxy.accept()
})

it('a backup of a discard can be read by nobody else on the machine', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'warren-doors-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const rig = await setUpApi({ ...broker, server: { backups: { folder } } })
  const queue = await setUpDlq(rig, 'private')

  const answer = await rig.app.inject({
    method: 'POST',
    url: `/api/v1/dlqs/${queue}/discard`,
    headers,
    payload: {},
  })

  expect(answer.statusCode, answer.body).toBe(200)
  const modes = readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777)
  expect(modes).toEqual([0o600])
})

it('a discard that fails before it removes anything leaves no backup in the list', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'warren-doors-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const rig = await setUpApi({ ...broker, server: { backups: { folder } } })
  const queue = await setUpDlq(rig, 'failed')
  const elsewhere = await Session.open(broker.url)
  onTestFinished(() => elsewhere.close())
  // Somebody else works on the queue.
  await declareQueue(await elsewhere.openChannel(), { queue: `warren.lock.${queue}`, exclusive: true })

  const answer = await rig.app.inject({
    method: 'POST',
    url: `/api/v1/dlqs/${queue}/discard`,
    headers,
    payload: {},
  })

  expect(answer.json<Problem>(), answer.body).toMatchObject({ status: 409, code: 'RECOVERY_LOCKED' })
  expect(readdirSync(folder)).toEqual([])
  expect(await broker.depth(queue)).toBe(3)
})

it.runIf(process.platform === 'linux')(
  'a discard whose backup finds no room on the disk leaves none in the list either',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'warren-doors-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const rig = await setUpApi({ ...broker, server: { backups: { folder } } })
    const queue = await setUpDlq(rig, 'no-room')
    await rig.publish(Array.from({ length: 500 }, () => ({ key: queue, body: randomBytes(1_024) })))
    const lift = await limitFileSize(100_000)

    const answer = await rig.app.inject({
      method: 'POST',
      url: `/api/v1/dlqs/${queue}/discard`,
      headers,
      payload: {},
    })
    await lift()

    expect(answer.json<Problem>(), answer.body).toMatchObject({ status: 503, code: 'BACKUP_NOT_WRITTEN' })
    expect(readdirSync(folder)).toEqual([])
    await eventually(async () => expect(await broker.depth(queue)).toBe(503))
  },
)

it('who polls the audit log is written down once, and sees what is new', async () => {
  const rig = await setUpApi(broker)
  const name = namePerTry('polls')
  await broker.createAccount(name, { tag: 'administrator' })
  const read = async () =>
    (await rig.app.inject({ url: '/api/v1/audit?limit=50', headers: broker.as(name) })).json<AuditPage>()
  await read()
  await read()
  const login = { username, password }
  await rig.app.inject({ method: 'POST', url: '/api/v1/session', payload: login })

  const { items } = await read()

  expect(items[0]).toMatchObject({ action: 'session.open', by: username })
  const own = items.filter(({ by }) => by === broker.nameOf(name))
  expect(own).toMatchObject([{ action: 'audit.read', wayIn: 'broker-account' }])
})

it('a key of sessions that can be guessed is refused', () => {
  const read = (key: string) => readServerSection({}, { WARREN_SESSION_KEY: key }).sessionKey

  expect(() => read('a')).toThrow('WARREN_SESSION_KEY has 1 bytes')
  expect(() => read('a'.repeat(31))).toThrow('openssl rand -hex 32')
  expect([read(''), read('a'.repeat(32))]).toEqual([undefined, 'a'.repeat(32)])
})

it('no page asks a browser to fetch its parts by TLS, which may be nowhere, or from another site', async () => {
  const { app } = await setUpApi(broker)

  const pages = await Promise.all(
    ['/docs', '/docs/', '/docs/json', '/api/v1/dlqs'].map((url) => app.inject({ url })),
  )

  for (const page of pages) {
    expect(page.headers['content-security-policy'], page.body).toContain("default-src 'self'")
    expect(page.headers['content-security-policy']).not.toMatch(/upgrade-insecure-requests|swagger\.io/)
  }
})

it('a config that declares no queue hides no dead-letter queue from the isolated endpoints', async () => {
  const topology = { layout: 'isolated', queues: { [namePerTry('orders')]: {} } } as const
  await setUpApi({ ...broker, topology })
  const bare = await setUpApi(broker)
  const empty = await setUpApi({ ...broker, declared: { queues: {} } })
  const list = async ({ app }: ApiRig) =>
    (await app.inject({ url: '/admin/dlq/queues', headers })).json<AdminQueues>().queues

  const known = await list(bare)

  expect(known.length).toBeGreaterThan(0)
  expect(await list(empty)).toEqual(known)
})

describe('a re-drive of the isolated system without a body', () => {
  const json = { 'content-type': 'application/json' }
  it.each<[string, Readonly<Record<string, string>>]>([
    ['at all', { 'content-length': '0' }],
    ['and with a type', { ...json, 'content-length': '0' }],
    ['of a form', { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '0' }],
    ['in no pieces', { ...json, 'transfer-encoding': 'chunked' }],
  ])('%s has the limit of ten', async (_, more) => {
    const name = namePerTry('orders')
    const topology = { layout: 'isolated', queues: { [name]: {} } } as const
    const rig = await setUpApi({ ...broker, topology })
    const queues = (await rig.app.inject({ url: '/admin/dlq/queues', headers })).json<AdminQueues>().queues
    const { queue } = queues.find((each) => each.queue.includes(name))!
    const address = new URL(`/admin/dlq/queues/${queue}/re-drive`, await rig.listen())

    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const options = { method: 'POST', headers: { ...headers, ...more } }
      request(address, options, resolve).on('error', reject).end()
    })
    const body = (await answer.toArray()).join('')

    expect(answer.statusCode, body).toBe(200)
    expect(JSON.parse(body)).toMatchObject({ queue, requested: 10, redriven: 0 })
  })
})
