import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { permissionsOf } from '../../../packages/cli/src/http-api/auth/decide-role.ts'
import { createToken } from '../../../packages/cli/src/http-api/auth/stored-token.ts'
import type {
  Approval,
  AuditPage,
  Permission,
  Problem,
  Role,
} from '../../../packages/cli/src/http-api/contract/contract.ts'
import { endpoints } from '../../../packages/cli/src/http-api/contract/endpoints.ts'
import { declareQueue, deleteQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { compileTopology } from '../../../packages/warrenmq/src/topology/compile-topology.ts'
import { toFieldTable } from '../../../packages/warrenmq/src/wire/plain-fields.ts'
import { eventually } from '../../support/eventually.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { type ApiRig, deadLetterTo, setUpApi, startApiRig } from './api-rig.ts'
import { type AnyEndpoint, fittingRequest, namesQueue } from './fitting-request.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const roles = ['viewer', 'operator', 'admin'] as const
const tokens = { viewer: createToken(), operator: createToken(), admin: createToken() }
const as = (role: Role) => ({ authorization: `Bearer ${tokens[role].token}` })
const auth = { tokens: roles.map((role) => ({ name: role, role, hash: tokens[role].hash })) }
const folder = mkdtempSync(join(tmpdir(), 'warren-guard-'))
const declared = { queues: { 'guard.declared': { retry: { delays: ['5s'] } } } } as const

const work = 'guard.work'
const returned = 'guard.returned'
const byArgument = 'guard.by-argument'
const byPolicy = 'guard.by-policy'
const byTopology = compileTopology(declared, { brokerVersion: broker.version }).flows[0]!.deadLetterQueue!

let rig: ApiRig
/** The same broker, where the role operator may work on any queue. */
let opened: ApiRig

beforeAll(async () => {
  const server = { auth, backups: { folder } }
  rig = await startApiRig({ ...broker, topology: declared, server })
  opened = await startApiRig({ ...broker, declared, server: { ...server, anyQueue: ['operator'] } })
  await rig.declareDlq(byArgument)
  await rig.declareDlq(byPolicy)
  await rig.declareDlq(work, deadLetterTo(byArgument))
  // A wait queue dead-letters into the queue that works on its messages, which makes that no dead-letter queue.
  await rig.declareDlq(returned, deadLetterTo(byArgument))
  await rig.declareDlq('guard.wait', deadLetterTo(returned))
  // Whoever may declare queues can have one dead-letter into Warren's own.
  await rig.declareDlq('guard.sly', deadLetterTo('warren.audit'))
  await rig.declareDlq('guard.under-policy')
  await broker.management('PUT', `/api/policies/${encodeURIComponent(broker.vhost)}/guard`, {
    pattern: '^guard\\.under-policy$',
    'apply-to': 'queues',
    definition: { 'dead-letter-exchange': '', 'dead-letter-routing-key': byPolicy },
  })
  await eventually(
    async () => {
      const list = await rig.app.inject({ url: '/api/v1/dlqs', headers: as('admin') })
      expect(list.body).toContain(byPolicy)
    },
    { timeoutMs: 60_000 },
  )
}, 120_000)
afterAll(async () => {
  await rig.close()
  await opened.close()
  rmSync(folder, { recursive: true, force: true })
})

// Made of the list of endpoints: one that is added there is asked here.
const guarded = (Object.entries(endpoints) as [string, AnyEndpoint][]).filter(
  ([, endpoint]) => namesQueue(endpoint) && !endpoint.path.startsWith('/admin/'),
)

async function ask({ app }: ApiRig, endpoint: AnyEndpoint, { queue, role }: { queue: string; role: Role }) {
  const { headers, ...request } = fittingRequest(endpoint, queue)
  const answer = await app.inject({ ...request, headers: { ...headers, ...as(role) } })
  const problem = answer.statusCode < 400 ? undefined : answer.json<Problem>()
  return { status: answer.statusCode, code: problem?.code, detail: problem?.detail ?? '' }
}

const noDeadLetters = (queue: string) => ({
  status: 404,
  code: 'API_NOT_FOUND',
  detail: `"${queue}" is not a dead-letter queue of this vhost. GET /api/v1/dlqs lists them.`,
})

it('all endpoints that take a queue are asked', () => {
  expect(guarded.map(([name]) => name).toSorted()).toEqual(
    [
      ...['listCauses', 'listMessages', 'showMessage', 'editMessage', 'showHistory', 'downloadBackup'],
      ...['discardMessages', 'planRedrive', 'startRedrive', 'verifyReceipt', 'makeSnapshot', 'listSnapshots'],
      ...['showSnapshot', 'listSnapshotCauses', 'listSnapshotFacets', 'showSnapshotHistogram'],
      ...['listSnapshotMessages', 'showSnapshotMessage', 'deleteSnapshot', 'watchSnapshot'],
      ...['writeNote', 'removeNote'],
    ].toSorted(),
  )
})

describe.each(guarded)('the endpoint %s', (_name, endpoint) => {
  const mayAsk = roles.filter((role) => permissionsOf(role).includes(endpoint.needs as Permission))

  it.each([
    ['a work queue', work],
    ['a work queue that a wait queue returns to', returned],
    ['a wait queue', 'guard.wait'],
    ['a queue that does not exist', 'guard.nowhere'],
    ["Warren's own log", 'warren.audit'],
    ["Warren's own tasks", 'warren.tasks'],
  ])('is closed to everybody for %s, and does not tell whether there is one', async (_, queue) => {
    for (const role of roles) {
      const expected = mayAsk.includes(role)
        ? noDeadLetters(queue)
        : { status: 403, code: 'API_FORBIDDEN', detail: expect.stringContaining('permission') }
      expect(await ask(rig, endpoint, { queue, role }), role).toEqual(expected)
    }
  })

  it.each([
    ['the topology', byTopology],
    ['an argument of another queue', byArgument],
    ['a policy of another queue', byPolicy],
  ])('takes a dead-letter queue that is known by %s', async (_, queue) => {
    for (const role of mayAsk) {
      const { status, detail } = await ask(rig, endpoint, { queue, role })

      expect(status, detail).toBeLessThan(500)
      expect(status, detail).not.toBe(403)
      expect(detail).not.toContain('is not a dead-letter queue')
    }
  })

  it('takes any queue from a role that the config lets, but no discard and nothing of Warren', async () => {
    const mayOperate = mayAsk.includes('operator')
    const isByHand = endpoint === endpoints.showHistory // nobody has seen what it was
    for (const role of mayAsk) {
      const { detail } = await ask(opened, endpoint, { queue: work, role })
      const isOpen = role === 'operator' && mayOperate && !isByHand
      expect(detail.includes('is not a dead-letter queue'), role).toBe(!isOpen)
      expect(await ask(opened, endpoint, { queue: 'warren.audit', role })).toEqual(
        noDeadLetters('warren.audit'),
      )
    }
  })
})

it('nobody sends dead letters into the records of Warren', async () => {
  const payload = { queue: byArgument, to: 'warren.audit' }

  for (const url of ['/api/v1/redrives', '/api/v1/redrives/plan']) {
    const answer = await rig.app.inject({ method: 'POST', url, headers: as('admin'), payload })

    expect(answer.statusCode, answer.body).toBe(403)
    expect(answer.json<Problem>().detail).toContain('keeps its own records')
  }
})

it('headers alone send no message to a queue that is not known to dead-letter here', async () => {
  const [queue, told] = [`${namePerTry('guard.parked')}.dlq`, namePerTry('guard.told')]
  await rig.declareDlq(queue)
  await rig.declareDlq(told)
  await rig.publish([{ key: queue, body: 1, headers: { 'x-original-queue': told } }])

  const answer = await rig.app.inject({
    method: 'POST',
    url: '/api/v1/redrives/plan',
    headers: as('operator'),
    payload: { queue },
  })
  const named = await rig.app.inject({
    method: 'POST',
    url: '/api/v1/redrives/plan',
    headers: as('admin'),
    payload: { queue, to: told },
  })

  expect(answer.json()).toMatchObject({ moving: 0, keeping: [{ reason: 'origin-foreign', count: 1 }] })
  expect(named.json()).toMatchObject({ moving: 1, keeping: [] })
})

it('who wants to re-drive a work queue is in the audit log', async () => {
  const queue = namePerTry('guard.tried')
  await rig.declareDlq(queue)
  await rig.app.inject({
    method: 'POST',
    url: '/api/v1/redrives',
    headers: as('operator'),
    payload: { queue },
  })

  const { items } = (
    await rig.app.inject({ url: '/api/v1/audit?limit=100', headers: as('admin') })
  ).json<AuditPage>()

  expect(items.filter(({ target }) => target.includes(queue))).toMatchObject([
    { by: 'operator', action: 'refused', target: `POST /api/v1/redrives ${queue}`, result: 'API_NOT_FOUND' },
  ])
})

it('a re-drive that waits is not granted once its queue is no dead-letter queue', async () => {
  const queue = namePerTry('guard.waits')
  const source = `${queue}.source`
  const server = { auth, approval: { above: 0 } }
  await broker.createAccount('asks', { tag: 'policymaker' })
  await broker.createAccount('grants', { tag: 'policymaker' })
  const { app, declareDlq, publish, consuming } = await setUpApi({ ...broker, server })
  await declareDlq(queue)
  const channel = await consuming.openChannel()
  await declareQueue(channel, { queue: source, arguments: toFieldTable(deadLetterTo(queue)) })
  await publish([{ key: queue, body: 1 }])
  const asked = await app.inject({
    method: 'POST',
    url: '/api/v1/redrives',
    headers: broker.as('asks'),
    payload: { queue },
  })
  const { id } = asked.json<Approval>()
  expect(asked.statusCode, asked.body).toBe(202)
  await deleteQueue(channel, source)

  const answer = await app.inject({
    method: 'POST',
    url: `/api/v1/approvals/${id}/grant`,
    headers: broker.as('grants'),
  })

  expect(answer.statusCode, answer.body).toBe(404)
  expect(await broker.depth(queue)).toBe(1)
})
