import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import type {
  AuditPage,
  CurrentSession,
  DlqList,
  OpenedSession,
} from '../../../packages/cli/src/http-api/contract/contract.ts'
import { createVhostsServer } from '../../../packages/cli/src/http-api/create-vhosts-server.ts'
import { readServerSection } from '../../../packages/cli/src/http-api/read-server-section.ts'
import { declareQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { pairManagement } from '../../../packages/warrenmq/src/broker/management/pair-management.ts'
import { startEmbeddedBroker } from '../../../packages/warrenmq/src/testing.ts'
import { toFieldTable } from '../../../packages/warrenmq/src/wire/plain-fields.ts'
import { callManagement } from '../../support/call-management.ts'
import { eventually } from '../../support/eventually.ts'
import { outlast } from '../../support/outlast.ts'
import { basic, serverKey } from './api-rig.ts'

const session = '/api/v1/session'
const orders = '/vhosts/orders'
const hidden = '/vhosts/hidden%2Fplace'

/** A server of three vhosts, each with a dead-letter queue; guest may see all, and ann not the one with a slash. */
async function setUp(server: object = {}) {
  const names = ['/', 'orders', 'hidden/place']
  const broker = await startEmbeddedBroker({ vhosts: names.slice(1) })
  const managementUrl = broker.managementUrl.replace(/\/\/.*@/, '//')
  const access = { managementUrl, username: 'guest', password: 'guest' }
  const manage = (path: string, body?: object, method: 'PUT' | 'DELETE' = 'PUT') =>
    callManagement(access, method, path, body)
  await manage('/api/users/ann', { password: 'ann', tags: 'monitoring' })
  for (const name of ['%2F', 'orders'])
    await manage(`/api/permissions/${name}/ann`, { configure: '', write: '', read: '.*' })
  const brokers = await Promise.all(
    names.map(async (vhost, index) => {
      const url = `amqp://guest:guest@${new URL(broker.url).host}/${encodeURIComponent(vhost)}`
      const [consuming, publishing] = await Promise.all([Session.open(url), Session.open(url)])
      const place = { managementUrl: broker.managementUrl, isManagementGuessed: false }
      const management = pairManagement(consuming, place)
      const channel = await consuming.openChannel()
      const args = toFieldTable({ 'x-queue-type': 'quorum', 'x-delivery-limit': -1 })
      await declareQueue(channel, { queue: `of-${index}.dlq`, arguments: args })
      onTestFinished(async () => {
        await Promise.all([consuming.close(), publishing.close()])
        management.close()
      })
      return { consuming, publishing, management, vhost, topology: undefined }
    }),
  )
  const app = await createVhostsServer({
    brokers: brokers as never,
    settings: readServerSection({ port: 0, ...server }, serverKey),
    version: '0.0.0-test',
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    await app.close()
    await broker.stop()
  })
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${url}${path}`, { method, headers })
  const logIn = async (name: string, at = '') => {
    const answer = await fetch(`${url}${at}${session}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: name, password: name }),
    })
    const cookie = answer.headers.getSetCookie().map((each) => each.split(';')[0])
    const { csrfToken } = (await answer.json()) as OpenedSession
    return { cookie: cookie.join('; '), 'x-csrf-token': csrfToken }
  }
  const read = async <Content>(path: string, headers: Record<string, string>) =>
    (await (await ask(path, headers)).json()) as Content
  return { ask, read, logIn, url, app, manage }
}

it('one login opens every vhost in which the account has a role, and each shows its own queues', async () => {
  const { read, logIn } = await setUp()

  const guest = await logIn('guest')

  const { vhosts } = await read<CurrentSession>(session, guest)
  expect(vhosts).toEqual([
    { name: '/', path: '', isHere: true },
    { name: 'hidden/place', path: hidden, isHere: false },
    { name: 'orders', path: orders, isHere: false },
  ])
  const queues = async (path: string) =>
    (await read<DlqList>(`${path}/api/v1/dlqs`, guest)).items.map(({ queue }) => queue)
  expect(await queues('')).toEqual(['of-0.dlq'])
  expect(await queues(orders)).toEqual(['of-1.dlq'])
  expect(await queues(hidden)).toEqual(['of-2.dlq'])
  const there = await read<CurrentSession>(`${orders}${session}`, guest)
  expect(there).toMatchObject({ name: 'guest', vhost: 'orders' })
  expect(there.vhosts.filter(({ isHere }) => isHere)).toMatchObject([{ name: 'orders' }])
  const audit = await read<AuditPage>(`${orders}/api/v1/audit`, guest)
  expect(audit.items.map(({ action }) => action)).toContain('session.open')
})

it('a vhost in which somebody has no role is not named to them, and lets them in nowhere', async () => {
  const { ask, read, logIn } = await setUp()

  const ann = await logIn('ann', orders)

  const { vhosts } = await read<CurrentSession>(`${orders}${session}`, ann)
  expect(vhosts.map(({ name }) => name)).toEqual(['/', 'orders'])
  expect((await ask(`${hidden}/api/v1/dlqs`, ann)).status).toBe(401)
  expect((await ask(`${hidden}/api/v1/dlqs`, { authorization: basic('ann') })).status).toBe(401)
  expect((await ask('/api/v1/dlqs', ann)).status).toBe(200)
})

it('the session of one vhost is none in another one', async () => {
  const { ask, logIn } = await setUp()
  const { cookie } = await logIn('guest')
  const [first = '', ...others] = cookie.split('; ')
  const value = first.split('=')[1]!

  const forged = others.map((each) => `${each.split('=')[0]}=${value}`).join('; ')

  expect(others).toHaveLength(2)
  expect((await ask(`${orders}/api/v1/dlqs`, { cookie: forged })).status).toBe(401)
})

it('who logs out in one vhost is logged out of all', async () => {
  const { ask, logIn } = await setUp()
  const guest = await logIn('guest')

  const out = await ask(session, guest, 'DELETE')

  expect(out.status).toBe(204)
  expect(out.headers.getSetCookie().filter((each) => /^warren_session[\w-]*=;/.test(each))).toHaveLength(3)
  const statuses = ['', orders, hidden].map(async (path) => (await ask(`${path}/api/v1/dlqs`, guest)).status)
  expect(await Promise.all(statuses)).toEqual([401, 401, 401])
})

it('what would change something in another vhost needs the token of the session there', async () => {
  const { read, ask, logIn } = await setUp()
  const guest = await logIn('guest')
  const snapshot = `${orders}/api/v1/dlqs/of-1.dlq/snapshots`

  const foreign = await ask(snapshot, guest, 'POST')
  const { csrfToken } = await read<CurrentSession>(`${orders}${session}`, guest)
  const own = await ask(snapshot, { ...guest, 'x-csrf-token': csrfToken! }, 'POST')

  expect([foreign.status, own.status]).toEqual([403, 202])
  expect(own.headers.get('location')).toMatch(/^\/vhosts\/orders\/api\/v1\/dlqs\/of-1\.dlq\/snapshots\//)
})

it('a token, and behind a path, each vhost is found, too', async () => {
  const token = `warren_${randomBytes(32).toString('base64url')}`
  const hash = `sha256:${createHash('sha256').update(token).digest('hex')}`
  const tokens = [{ name: 'ci', role: 'operator', hash }]
  const { read, ask } = await setUp({ path: '/ops/warren', auth: { tokens } })
  const headers = { authorization: `Bearer ${token}` }

  const { vhosts } = await read<CurrentSession>(`/ops/warren${orders}${session}`, headers)
  const made = await ask(`/ops/warren${orders}/api/v1/dlqs/of-1.dlq/snapshots`, headers, 'POST')

  expect(vhosts.map(({ path }) => path)).toEqual(['', hidden, orders])
  expect(made.headers.get('location')).toMatch(/^\/ops\/warren\/vhosts\/orders\/api\/v1\/dlqs\//)
  expect((await ask(`${orders}/api/v1/dlqs`, headers)).status).toBe(200)
})

it('a vhost that is not served is no address, however often it is named', async () => {
  const { ask } = await setUp({ auth: 'none' })

  expect((await ask('/vhosts/none/api/v1/dlqs')).status).toBe(404)
  expect((await ask('/vhosts/%2F/api/v1/dlqs')).status).toBe(404)
  expect((await ask(`${orders.repeat(900)}/api/v1/dlqs`)).status).toBe(404)
  expect((await ask(`${orders}/healthz`)).status).toBe(200)
})

it('guesses are counted for the server, and not for each vhost anew', async () => {
  const { url } = await setUp()
  const guess = async (at: string, password: string, signal?: AbortSignal): Promise<number> => {
    const headers = { authorization: `Basic ${btoa(`ann:${password}`)}` }
    return (await fetch(`${url}${at}/api/v1/dlqs`, { headers, ...(signal && { signal }) })).status
  }
  const places = ['', orders, hidden]
  for (let at = 0; at < 10; at += 1) expect(await guess(places[at % 3]!, `guess ${at}`)).toBe(401)

  const waiting = new AbortController()
  const first = await Promise.race(places.map((place) => guess(place, 'one more', waiting.signal)))
  waiting.abort()

  expect(first).toBe(429)
  expect(await guess(orders, 'still one')).toBe(429)
})

it('a password that is right in one vhost is not taken for right in another one', async () => {
  const { ask } = await setUp()

  const statuses = ['', hidden, orders, hidden].map(
    async (place) => (await ask(`${place}/api/v1/dlqs`, { authorization: basic('ann') })).status,
  )

  expect(await Promise.all(statuses)).toEqual([200, 401, 200, 401])
})

it('the cookies of all vhosts fit into a request, however long they are', async () => {
  const { ask, logIn } = await setUp()
  const { cookie } = await logIn('guest')

  const answer = await ask('/api/v1/dlqs', { cookie: `${cookie}; other=${'x'.repeat(20_000)}` })

  expect(answer.status).toBe(200)
})

it('nobody waits for a vhost that is gone to log in or out', async () => {
  const { ask, logIn, manage } = await setUp()
  const guest = await logIn('guest')
  await manage('/api/vhosts/hidden%2Fplace', undefined, 'DELETE')
  await eventually(async () => expect((await ask(`${hidden}/readyz`)).status).toBe(503))

  const again = await outlast(logIn('guest'), 4_500)
  const out = await outlast(ask(session, guest, 'DELETE'), 4_500)

  expect(again).toMatchObject({ cookie: expect.stringMatching(/^[^;]+; [^;]+$/) })
  expect(out).toMatchObject({ status: 204 })
  const statuses = ['', orders].map(async (path) => (await ask(`${path}/api/v1/dlqs`, guest)).status)
  expect(await Promise.all(statuses)).toEqual([401, 401])
})

it('an address with the host before it leads to its vhost', async () => {
  const { url } = await setUp({ auth: 'none' })
  const { port } = new URL(url)

  const asked = request({ port, path: `${url}${orders}/api/v1/dlqs`, headers: { host: '127.0.0.1' } }).end()
  const [answer] = await once(asked, 'response')
  answer.resume()

  expect(answer.statusCode).toBe(200)
})

it('the first vhost ends its own work while another one still waits for a request', async () => {
  const { ask, url, app } = await setUp()
  const headers = { authorization: basic('guest') }
  const half = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {})
  const stream = await fetch(`${url}/api/v1/events`, { headers })
  const length = 'content-type: application/json\r\ncontent-length: 99'
  half.write(
    `POST ${orders}/api/v1/redrives/plan HTTP/1.1\r\nhost: here\r\n${length}\r\nauthorization: ${headers.authorization}\r\n\r\n{`,
  )
  const cut = once(half, 'close').then(() => 'the half request was cut')
  const ended = stream.text().then(() => 'the stream has ended')

  const underWay = async () => (await ask(`${orders}/metrics`, headers)).text()
  await eventually(async () => expect(await underWay()).toMatch(/under_way 2$/m))

  const closing = app.close()
  const first = await Promise.race([ended, cut])
  half.destroy()
  await closing

  expect(first).toBe('the stream has ended')
})
