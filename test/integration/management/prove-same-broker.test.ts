import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request as ask, createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { pairManagement } from '../../../packages/warrenmq/src/broker/management/pair-management.ts'
import { startEmbeddedBroker } from '../../../packages/warrenmq/src/embedded/start-embedded-broker.ts'
import { startProxy } from '../../support/start-proxy.ts'
import { useBroker } from '../../support/use-broker.ts'

const broker = await useBroker()
const { vhost, username, password } = broker
const managementUrl = Object.assign(new URL(broker.managementUrl), { username, password }).href
const named = { managementUrl, isManagementGuessed: false }
const quick = { backoff: { initialMs: 5, maxMs: 100 } }

async function openSession(url = broker.url): Promise<Session> {
  const session = await Session.open(url, quick)
  onTestFinished(() => session.close())
  return session
}

/** A user with its own name as password. */
async function createUser(fields: { tags: string; configure: string }): Promise<string> {
  const user = `prover-${randomUUID()}`
  await broker.management('PUT', `/api/users/${user}`, { password: user, tags: fields.tags })
  const rights = { configure: fields.configure, write: '.*', read: '.*' }
  await broker.management('PUT', `/api/permissions/${vhost}/${user}`, rights)
  onTestFinished(async () => void (await broker.management('DELETE', `/api/users/${user}`)))
  return user
}

const asUser = (url: string, user: string): string =>
  Object.assign(new URL(url), { username: user, password: user }).href

/** A front that writes down what the broker is asked. */
async function startFront() {
  const asked: string[] = []
  const listen: RequestListener = (incoming, outgoing) => {
    asked.push(incoming.url!)
    const { method, headers } = incoming
    const onward = ask(new URL(incoming.url!, broker.managementUrl), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(onward)
  }
  const url = await startHttp(listen)
  return { url: Object.assign(new URL(url), { username, password }).href, asked }
}

async function startHttp(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('the management API of the broker itself', () => {
  it('is proved once for all who ask, and once more after a reconnect; nothing stays behind', async () => {
    const { url, asked } = await startFront()
    const proxy = await startProxy({ target: Number(new URL(broker.url).port) })
    onTestFinished(() => proxy.close())
    const session = await openSession(proxy.urlFor(broker.url))
    const management = pairManagement(session, { managementUrl: url, isManagementGuessed: false })
    const proofs = (): number => new Set(asked.filter((path) => path.includes('warren.proof.'))).size

    await Promise.all([management.overview(), management.whoAmI(), management.health()])
    await management.overview()
    expect(proofs()).toBe(1)
    const reconnected = new Promise((resolve) => session.events.on('connected', resolve))
    proxy.cutAll()
    await reconnected
    await management.overview()

    expect(proofs()).toBe(2)
    const queues = await broker.management<{ name: string }[]>('GET', `/api/queues/${vhost}`)
    expect(queues.filter(({ name }) => name.startsWith('warren.proof.'))).toEqual([])
  })

  it('is told in the same words however often it cannot be reached, so that a log tells it once', async () => {
    const away = await startProxy({ target: 1 })
    away.close()
    const management = pairManagement(await openSession(), {
      managementUrl: `http://${username}:${password}@127.0.0.1:${away.port}`,
      isManagementGuessed: false,
    })
    const ask = () => management.overview().catch(({ message }: Error) => message)

    expect(await ask()).toMatch(/^Cannot reach the management API/)
    expect(await ask()).toBe(await ask())
  })

  it('stays known while the connection is away', async () => {
    const proxy = await startProxy({ target: Number(new URL(broker.url).port) })
    onTestFinished(() => proxy.close())
    const session = await openSession(proxy.urlFor(broker.url))
    const management = pairManagement(session, named)
    await management.overview()

    const lost = new Promise((resolve) => session.events.on('disconnected', resolve))
    proxy.refuse()
    proxy.cutAll()
    await lost

    expect(await management.overview()).toMatchObject({ version: broker.version })
  })

  it.each([
    ['any queue of ours', '^warren\\.'],
    ['only queues that the broker names', '^amq\\.gen'],
    ['no queue at all', '^$'],
  ])('is proved where the account may declare %s', async (_, configure) => {
    const user = await createUser({ tags: 'management', configure })
    const session = await openSession(asUser(broker.url, user))
    const management = pairManagement(session, { ...named, managementUrl: asUser(managementUrl, user) })

    expect(await management.whoAmI()).toMatchObject({ name: user })
  })

  it('is not proved by an account that may declare nothing, to one that sees none of its connections', async () => {
    const [declarer, reader] = await Promise.all([
      createUser({ tags: '', configure: '^$' }),
      createUser({ tags: 'management', configure: '.*' }),
    ])
    const session = await openSession(asUser(broker.url, declarer))
    const management = pairManagement(session, { ...named, managementUrl: asUser(managementUrl, reader) })

    await expect(management.whoAmI()).rejects.toMatchObject({
      code: 'MANAGEMENT_NOT_PROVED',
      message: expect.stringMatching(/may not declare a queue to look for.*tag "monitoring"/),
    })
  })

  it('names the permission that is missing where the reader does not see the vhost', async () => {
    const user = await createUser({ tags: 'management', configure: '.*' })
    await broker.management('DELETE', `/api/permissions/${vhost}/${user}`)
    const management = pairManagement(await openSession(), {
      ...named,
      managementUrl: asUser(managementUrl, user),
    })

    await expect(management.whoAmI()).rejects.toThrow(/permissions/)
  })
})

describe('what answers at an address that nobody named', () => {
  const answers: readonly (readonly [string, RequestListener])[] = [
    [
      'refuses the login',
      (_, answer) => void answer.writeHead(401).end('{"error":"not_authorized","reason":"Login failed"}'),
    ],
    ['asks for a login of its own', (_, answer) => void answer.writeHead(401).end('<h1>Who are you?</h1>')],
    ['is a page', (_, answer) => void answer.writeHead(200).end('<html></html>')],
    [
      'has no such thing',
      (_, answer) => void answer.writeHead(404).end('{"error":"Object Not Found","reason":"Not Found"}'),
    ],
    ['knows other fields', (_, answer) => void answer.writeHead(404).end('not here')],
    ['fails', (_, answer) => void answer.writeHead(500).end()],
    ['has an object for every question', (_, answer) => void answer.writeHead(200).end('{"status":"ok"}')],
    ['has a list for every question', (_, answer) => void answer.writeHead(200).end('[]')],
    [
      'has a queue of another name for every question',
      (_, answer) => void answer.writeHead(200).end(JSON.stringify({ name: 'orders', vhost })),
    ],
  ]

  it.each(answers)('and %s is no management API, and no crash', async (_, listener) => {
    const url = await startHttp(listener)
    const guessed = pairManagement(await openSession(), { managementUrl: url, isManagementGuessed: true })
    const said = pairManagement(await openSession(), { managementUrl: url, isManagementGuessed: false })

    await expect(guessed.overview()).rejects.toMatchObject({
      isAbsent: true,
      message: expect.stringContaining('--management-url'),
    })
    await expect(said.overview()).rejects.toMatchObject({
      isAbsent: false,
      message: expect.stringContaining(`127.0.0.1:${new URL(url).port}`),
    })
  })
})

test.each(['3.10', '4.0', '4.3'] as const)(
  'the embedded broker as %s is known by its own management API',
  async (profile) => {
    const embedded = await startEmbeddedBroker({ profile })
    onTestFinished(() => embedded.stop())
    const session = await openSession(embedded.url)
    const own = { managementUrl: embedded.managementUrl, isManagementGuessed: false }

    expect(await pairManagement(session, own).overview()).toMatchObject({ version: embedded.version })
    await expect(pairManagement(session, named).overview()).rejects.toMatchObject({
      code: 'MANAGEMENT_NOT_PROVED',
    })
  },
)
