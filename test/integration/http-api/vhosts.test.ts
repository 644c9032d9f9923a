import { createHash, randomBytes } from 'node:crypto'
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
  const manage = (path: string, body: object) => callManagement(access, 'PUT', path, body)
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
    ...{ settings: readServerSection({ port: 0, ...server }, serverKey), version: '0.0.0-test' },
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
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({ username: name, password: name }),
    })
    const cookie = answer.headers.getSetCookie().map((each) => each.split(';')[0])
    const { csrfToken } = (await answer.json()) as OpenedSession
    return { cookie: cookie.join('; '), 'x-csrf-token': csrfToken }
  }
  const read = async <Content>(path: string, headers: Record<string, string>) =>
    (await (await ask(path, headers)).json()) as Content
  return { ask, read, logIn, url, app }
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

it('a token, and behind a path, each vhost is found all the same', async () => {
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
