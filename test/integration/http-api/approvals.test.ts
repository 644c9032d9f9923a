import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { targetOf } from '../../../packages/cli/src/http-api/approvals/ask-approval.ts'
import { createToken } from '../../../packages/cli/src/http-api/auth/stored-token.ts'
import type {
  Approval,
  ApprovalList,
  AuditPage,
  Discarded,
  Problem,
  Task,
  TopologyPlan,
} from '../../../packages/cli/src/http-api/contract/contract.ts'
import type { TopologyDeclaration } from '../../../packages/warrenmq/src/topology/declaration.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { type ApiRig, deadLetterTo, setUpApi, startApiRig } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const folder = mkdtempSync(join(tmpdir(), 'warren-kept-'))
const machine = createToken()
/** An operator's, with the name of an account. */
const namesake = createToken()
const { as, nameOf } = broker
let one: ApiRig
let two: ApiRig

beforeAll(async () => {
  const people = {
    ann: 'administrator',
    bob: 'administrator',
    olga: 'policymaker',
    vera: 'monitoring',
    ANN: 'administrator',
  }
  for (const [name, tag] of Object.entries(people)) await broker.createAccount(name, { tag })
  const server = {
    approval: { above: 3 },
    backups: { folder },
    auth: {
      tokens: [
        { name: 'ci', role: 'admin', hash: machine.hash },
        { name: nameOf('ann'), role: 'operator', hash: namesake.hash },
      ],
    },
  }
  one = await startApiRig({ ...broker, server })
  two = await startApiRig({ ...broker, server })
})
afterAll(async () => {
  await Promise.all([one.close(), two.close()])
  rmSync(folder, { recursive: true, force: true })
})

async function setup(queue: string, count: number): Promise<void> {
  await one.declareDlq(queue)
  await one.declareDlq(`${queue}.work`, deadLetterTo(queue))
  const message = { key: queue, body: 1, headers: { 'x-original-queue': `${queue}.work` } }
  await one.publish(Array.from({ length: count }, () => message))
}

const addresses = { ann: '192.0.2.1', bob: '192.0.2.2' }

const ask = (path: string, payload: object) =>
  one.app.inject({
    method: 'POST',
    url: `/api/v1/${path}`,
    headers: as('ann'),
    payload,
    remoteAddress: addresses.ann,
  })

/** On the other server, since the second person is seldom on the same one. */
const decide = (id: string, decision: 'grant' | 'refuse', headers = as('bob'), { app } = two) =>
  app.inject({
    method: 'POST',
    url: `/api/v1/approvals/${id}/${decision}`,
    headers,
    remoteAddress: addresses.bob,
  })

describe('a re-drive of many messages', () => {
  it('waits for a second person, on whichever server, and is then done in the name of the first', async () => {
    const queue = `${namePerTry('large')}.dlq`
    await setup(queue, 5)

    const asked = await ask('redrives', { queue, reason: 'the bank is back' })
    const { id, state, messages, by } = asked.json<Approval>()
    await expect.poll(async () => (await approvalsOf(two)).map((each) => each.id)).toContain(id)
    const before = await broker.depth(queue)
    const granted = await decide(id, 'grant')
    await two.app.inject({ url: `/api/v1/tasks/${id}/events`, headers: as('bob') })
    const task = await two.app.inject({ url: `/api/v1/tasks/${id}`, headers: as('bob') })

    expect(asked.statusCode, asked.body).toBe(202)
    expect(asked.headers.location).toBe(`/api/v1/approvals/${id}`)
    expect({ state, messages, by }).toEqual({ state: 'waiting', messages: 5, by: nameOf('ann') })
    expect(before).toBe(5)
    expect(granted.statusCode, granted.body).toBe(202)
    expect(granted.headers.location).toBe(`/api/v1/tasks/${id}`)
    expect(granted.json<Approval>()).toMatchObject({ state: 'granted', decidedBy: nameOf('bob') })
    expect(task.json<Task>()).toMatchObject({
      state: 'done',
      by: nameOf('ann'),
      reason: `the bank is back; granted by ${nameOf('bob')}`,
    })
    await broker.expectDepths({ [queue]: 0, [`${queue}.work`]: 5 })
    expect(await auditOf(queue)).toEqual([
      ['ann', 'approval.ask', 'broker-account', addresses.ann],
      ['bob', 'approval.grant', 'broker-account', addresses.bob],
      ['ann', 'redrive', 'broker-account', addresses.ann],
      ['ann', 'redrive', 'broker-account', addresses.ann],
    ])
  })

  it('needs nobody while it is within the limit, whatever comes into the queue meanwhile', async () => {
    await setup('small.dlq', 5)

    const limited = await ask('redrives', { queue: 'small.dlq', limit: 3 })
    const { kind, id } = limited.json<Task>()
    await one.app.inject({ url: `/api/v1/tasks/${id}/events`, headers: as('ann') })

    expect(kind).toBe('redrive')
    await broker.expectDepths({ 'small.dlq': 2, 'small.dlq.work': 3 })
  })

  it('is not granted by who asked, by a token, or by who may not do it', async () => {
    await setup('alone.dlq', 5)
    const { id } = (await ask('redrives', { queue: 'alone.dlq' })).json<Approval>()

    const answers = [
      await decide(id, 'grant', as('ann'), one),
      await decide(id, 'grant', { authorization: `Bearer ${machine.token}` }, one),
      await decide(id, 'grant', as('vera'), one),
    ]

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([403, 403, 403])
    expect(answers.slice(0, 2).map((answer) => answer.json<Problem>().code)).toEqual([
      ...['API_APPROVAL_NEEDED', 'API_APPROVAL_NEEDED'],
    ])
    expect(await broker.depth('alone.dlq')).toBe(5)
    expect(
      (await one.app.inject({ url: `/api/v1/approvals/${id}`, headers: as('vera') })).json(),
    ).toMatchObject({
      state: 'waiting',
      decidedBy: null,
    })
    // That they tried is in the log; a viewer has not come as far as the approval.
    expect(await refusalsOf(id)).toEqual([
      ['ann', 'API_APPROVAL_NEEDED'],
      ['ci', 'API_APPROVAL_NEEDED'],
    ])
  })

  it('that was granted is done once, however often and by whomever it is granted again', async () => {
    const queue = `${namePerTry('once')}.dlq`
    await setup(queue, 5)
    const { id } = (await ask('redrives', { queue })).json<Approval>()
    await decide(id, 'grant', as('bob'), one)
    await one.app.inject({ url: `/api/v1/tasks/${id}/events`, headers: as('ann') })
    const message = { key: queue, body: 1, headers: { 'x-original-queue': `${queue}.work` } }
    await one.publish(Array.from({ length: 5 }, () => message))

    const again = [
      await decide(id, 'grant', as('bob'), one),
      await decide(id, 'grant', as('olga'), two),
      await decide(id, 'refuse', as('bob'), two),
    ]

    expect(again.map(({ statusCode }) => statusCode)).toEqual([409, 409, 409])
    expect(again.map((answer) => answer.json<Problem>().code)).toEqual(
      again.map(() => 'API_APPROVAL_DECIDED'),
    )
    await broker.expectDepths({ [queue]: 5, [`${queue}.work`]: 5 })
    expect((await auditOf(queue)).map(([, action]) => action)).toEqual([
      ...['approval.ask', 'approval.grant', 'redrive', 'redrive'],
    ])
  })

  it('that nobody has granted in time has expired, and cannot be granted any more', async () => {
    const queue = `${namePerTry('late')}.dlq`
    await setup(queue, 5)
    const rig = await setUpApi({ ...broker, server: { approval: { above: 3, expires: '1s' } } })
    const asked = await rig.app.inject({
      method: 'POST',
      url: '/api/v1/redrives',
      headers: as('ann'),
      payload: { queue },
    })
    const { id, state, askedAt, expiresAt } = asked.json<Approval>()
    const stateNow = async () =>
      (await rig.app.inject({ url: `/api/v1/approvals/${id}`, headers: as('bob') })).json<Approval>().state

    await expect.poll(stateNow).toBe('expired')
    const late = await decide(id, 'grant', as('bob'), rig)

    expect(state).toBe('waiting')
    expect(Date.parse(expiresAt) - Date.parse(askedAt)).toBe(1_000)
    expect(late.statusCode).toBe(409)
    expect(late.json<Problem>()).toMatchObject({
      code: 'API_APPROVAL_DECIDED',
      detail: expect.stringContaining('is expired'),
    })
    await broker.expectDepths({ [queue]: 5, [`${queue}.work`]: 0 })
    expect((await auditOf(queue)).map(([, action]) => action)).toEqual(['approval.ask'])
  })

  it('that was refused is not done, and cannot be granted any more', async () => {
    const queue = `${namePerTry('refused')}.dlq`
    await setup(queue, 5)
    const { id } = (await ask('redrives', { queue })).json<Approval>()

    const refused = await decide(id, 'refuse', as('bob'), one)
    const late = await decide(id, 'grant', as('bob'), one)

    expect(refused.json<Approval>()).toMatchObject({ state: 'refused', decidedBy: nameOf('bob') })
    expect(late.statusCode).toBe(409)
    expect(late.json<Problem>().code).toBe('API_APPROVAL_DECIDED')
    await broker.expectDepths({ [queue]: 5, [`${queue}.work`]: 0 })
    expect((await auditOf(queue)).map(([, action]) => action)).toEqual([
      ...['approval.ask', 'approval.refuse'],
    ])
  })

  it('is not taken back by a token with the name of who asked', async () => {
    const queue = `${namePerTry('namesake')}.dlq`
    await setup(queue, 5)
    const { id } = (await ask(`dlqs/${queue}/discard`, { reason: 'old' })).json<Approval>()

    const stranger = await decide(id, 'refuse', { authorization: `Bearer ${namesake.token}` }, one)
    const owner = await decide(id, 'refuse', as('ann'), one)

    expect([stranger.statusCode, stranger.json<Problem>().code]).toEqual([403, 'API_FORBIDDEN'])
    expect(owner.json<Approval>()).toMatchObject({ state: 'refused', decidedBy: nameOf('ann') })
  })

  it('is not granted by the same name in other letters', async () => {
    const queue = `${namePerTry('letters')}.dlq`
    await setup(queue, 5)
    const { id } = (await ask('redrives', { queue })).json<Approval>()

    const granted = await decide(id, 'grant', as('ANN'), one)

    expect([granted.statusCode, granted.json<Problem>().code]).toEqual([403, 'API_APPROVAL_NEEDED'])
    await broker.expectDepths({ [queue]: 5, [`${queue}.work`]: 0 })
  })

  it('that two grant at once on two servers is done once', async () => {
    const queue = `${namePerTry('raced')}.dlq`
    await setup(queue, 5)
    const { id } = (await ask('redrives', { queue })).json<Approval>()
    await expect.poll(async () => (await approvalsOf(two)).map((each) => each.id)).toContain(id)

    const answers = await Promise.all([
      decide(id, 'grant', as('bob'), one),
      decide(id, 'grant', as('olga'), two),
    ])

    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([202, 409])
    // It may run on the other server, which this one hears of a moment later.
    const task = () => one.app.inject({ url: `/api/v1/tasks/${id}`, headers: as('ann') })
    await expect.poll(async () => (await task()).json<Task>().state).toBe('done')
    await broker.expectDepths({ [queue]: 0, [`${queue}.work`]: 5 })
    const actions = (await auditOf(queue)).map(([, action]) => action)
    expect(actions).toEqual(['approval.ask', 'approval.grant', 'redrive', 'redrive'])
  })

  it('is not granted once its requester has lost their account, role or queue, and goes on waiting', async () => {
    const queue = `${namePerTry('requester')}.dlq`
    await setup(queue, 5)
    const tag = (name: string) => broker.createAccount('dora', { tag: name })
    await tag('policymaker')
    const asked = await one.app.inject({
      method: 'POST',
      url: '/api/v1/redrives',
      headers: as('dora'),
      payload: { queue },
    })
    const { id } = asked.json<Approval>()
    const outcome = async (granted = decide(id, 'grant', as('bob'), one)) => {
      const { statusCode, body } = await granted
      return [statusCode, (JSON.parse(body) as Partial<Problem>).code]
    }

    await tag('monitoring')
    const demoted = await outcome()
    await broker.management('DELETE', `/api/users/${nameOf('dora')}`)
    const gone = await outcome()
    const waiting = (await approvalsOf(one)).find((each) => each.id === id)
    await broker.createAccount('dora', { tag: 'policymaker', read: '^other' })
    const blind = await outcome()
    await tag('policymaker')
    const back = await outcome()

    expect(asked.statusCode, asked.body).toBe(202)
    expect([demoted, gone, blind]).toEqual(Array.from({ length: 3 }, () => [403, 'API_FORBIDDEN']))
    expect(waiting).toMatchObject({ state: 'waiting', decidedBy: null })
    expect(back).toEqual([202, undefined])
    await broker.expectDepths({ [queue]: 0, [`${queue}.work`]: 5 })
    expect(await refusalsOf(id)).toEqual(Array.from({ length: 3 }, () => ['bob', 'API_FORBIDDEN']))
  })

  it('is not asked for with a token, whose holder could be the second person, too', async () => {
    const queue = `${namePerTry('machine')}.dlq`
    await setup(queue, 5)
    const headers = { authorization: `Bearer ${machine.token}` }
    const redrive = (payload: object) =>
      one.app.inject({ method: 'POST', url: '/api/v1/redrives', headers, payload })

    const large = await redrive({ queue })
    const small = await redrive({ queue, limit: 3 })

    expect(large.statusCode).toBe(403)
    expect(large.json<Problem>().code).toBe('API_APPROVAL_NEEDED')
    expect(small.statusCode, small.body).toBe(202)
    const { id, kind } = small.json<Task>()
    expect(kind).toBe('redrive')
    await one.app.inject({ url: `/api/v1/tasks/${id}/events`, headers: as('ann') })
    // What the small one moved and nothing else; and of the large one nothing waits.
    await broker.expectDepths({ [queue]: 2, [`${queue}.work`]: 3 })
    expect((await approvalsOf(one)).filter(({ asks }) => targetOf(asks) === queue)).toEqual([])
    expect((await auditOf(queue)).map(([by, action]) => [by, action])).toEqual([
      ['ci', 'redrive'],
      ['ci', 'redrive'],
    ])
  })

  it('through the endpoints of the isolated system is refused, since nobody can be asked there', async () => {
    const queue = namePerTry('q.isolated')
    const topology = { layout: 'isolated', queues: { [queue]: {} } } as const
    const dlq = `${queue}.dlq`
    const rig = await setUpApi({ ...broker, topology, server: { approval: { above: 3 } } })
    await rig.publish(Array.from({ length: 5 }, (_, body) => ({ key: dlq, body })))
    const redrive = (limit: number) =>
      rig.app.inject({
        method: 'POST',
        url: `/admin/dlq/queues/${dlq}/re-drive`,
        headers: as('ann'),
        payload: { limit },
      })

    const large = await redrive(10)
    const before = await broker.depth(dlq)
    const small = await redrive(3)

    expect(large.statusCode).toBe(403)
    expect(large.json<Problem>().code).toBe('API_APPROVAL_NEEDED')
    expect(before).toBe(5)
    expect(small.statusCode, small.body).toBe(200)
    expect(small.json()).toMatchObject({ redriven: 3 })
    await broker.expectDepths({ [dlq]: 2 })
  })
})

describe('a discard of many messages', () => {
  it('waits for a second person who may discard, as a re-drive does', async () => {
    const queue = `${namePerTry('dropped')}.dlq`
    await setup(queue, 5)
    const asked = await ask(`dlqs/${queue}/discard`, { reason: 'tests' })
    const { id, kind, messages } = asked.json<Approval>()
    const before = await broker.depth(queue)

    const byOperator = await decide(id, 'grant', as('olga'), one)
    const byAdmin = await decide(id, 'grant', as('bob'), one)
    const again = await decide(id, 'grant', as('bob'), one)

    expect(asked.statusCode, asked.body).toBe(202)
    expect(asked.headers.location).toBe(`/api/v1/approvals/${id}`)
    expect({ kind, messages }).toEqual({ kind: 'approval', messages: 5 })
    expect(before).toBe(5)
    expect(byOperator.statusCode).toBe(403)
    expect(await refusalsOf(id)).toEqual([['olga', 'API_FORBIDDEN']])
    expect(byAdmin.statusCode, byAdmin.body).toBe(202)
    expect(again.statusCode).toBe(409)
    await broker.expectDepths({ [queue]: 0 })
    expect((await auditOf(queue)).map(([by, action]) => [by, action])).toEqual([
      ['ann', 'approval.ask'],
      ['bob', 'approval.grant'],
      ['ann', 'discard'],
      ['ann', 'discard'],
    ])
  })

  it('within the limit is done at once', async () => {
    await setup('few.dlq', 5)

    const done = await ask('dlqs/few.dlq/discard', { limit: 2 })

    expect(done.statusCode, done.body).toBe(200)
    expect(done.headers.location).toBeUndefined()
    expect(done.json<Discarded>()).toMatchObject({ kind: 'discarded', removed: 2, left: 3 })
  })
})

describe('an apply that takes something away', () => {
  it('waits for a second person, as a re-drive does, and is then what the first had read', async () => {
    const bound = (key: string): TopologyDeclaration => ({
      exchanges: { 'approved.events': { type: 'topic' } },
      queues: { 'approved.orders': { bind: [{ exchange: 'approved.events', key }] } },
    })
    const rig = await setUpApi({
      ...broker,
      topology: bound('old'),
      declared: bound('new'),
      server: { approval: { above: 3 } },
    })
    const plan = await rig.app.inject({ url: '/api/v1/topology/plan', headers: as('ann') })
    const payload = { plan: plan.json<TopologyPlan>().digest, allowDisruptive: true }

    const asked = await rig.app.inject({
      method: 'POST',
      url: '/api/v1/topology/apply',
      headers: as('ann'),
      payload,
    })
    const { id, kind } = asked.json<Approval>()
    const waiting = await rig.app.inject({ url: '/api/v1/topology/plan', headers: as('ann') })
    const byOperator = await decide(id, 'grant', as('olga'), rig)
    const granted = await decide(id, 'grant', as('bob'), rig)
    const after = await rig.app.inject({ url: '/api/v1/topology/plan', headers: as('ann') })

    expect([asked.statusCode, kind], asked.body).toEqual([202, 'approval'])
    expect(asked.headers.location).toBe(`/api/v1/approvals/${id}`)
    expect(waiting.json<TopologyPlan>().disruptive).toHaveLength(1)
    expect(byOperator.statusCode).toBe(403)
    expect(granted.statusCode, granted.body).toBe(202)
    expect(after.json<TopologyPlan>().isEmpty).toBe(true)
  })
})

it('an apply whose plan has changed meanwhile is not granted, and goes on waiting', async () => {
  const [exchange, queue] = [namePerTry('moved.events'), namePerTry('moved.orders')]
  const bound = (key: string): TopologyDeclaration => ({
    exchanges: { [exchange]: { type: 'topic' } },
    queues: { [queue]: { bind: [{ exchange, key }] } },
  })
  const server = { approval: { above: 3 } }
  const rig = await setUpApi({ ...broker, topology: bound('old'), declared: bound('new'), server })
  const plan = await rig.app.inject({ url: '/api/v1/topology/plan', headers: as('ann') })
  const payload = { plan: plan.json<TopologyPlan>().digest, allowDisruptive: true }
  const asked = await rig.app.inject({
    method: 'POST',
    url: '/api/v1/topology/apply',
    headers: as('ann'),
    payload,
  })
  const { id } = asked.json<Approval>()
  await setUpApi({ ...broker, topology: bound('another') })

  const late = await decide(id, 'grant', as('bob'), rig)
  const approval = await rig.app.inject({ url: `/api/v1/approvals/${id}`, headers: as('bob') })

  expect(late.statusCode, late.body).toBe(409)
  expect(late.json<Problem>().code).toBe('API_PLAN_CHANGED')
  expect(approval.json<Approval>()).toMatchObject({ state: 'waiting', decidedBy: null })
})

it('approvals are shown to who may see their queues, and unknown ones are not found', async () => {
  const list = await approvalsOf(one)
  const missing = await decide('00000000-0000-4000-8000-000000000000', 'grant')

  expect(list.length).toBeGreaterThan(0)
  expect(missing.statusCode).toBe(404)
})

async function approvalsOf({ app }: ApiRig): Promise<readonly Approval[]> {
  return (await app.inject({ url: '/api/v1/approvals', headers: as('vera') })).json<ApprovalList>().items
}

async function auditOf(queue: string): Promise<string[][]> {
  const audit = await one.app.inject({ url: '/api/v1/audit', headers: as('ann') })
  const items = audit
    .json<AuditPage>()
    .items.filter(({ target }) => target === queue)
    .toReversed()
  return items.map(({ by, action, wayIn, from }) => [personOf(by), action, wayIn, from])
}

function personOf(account: string): string {
  return account.replace(nameOf(''), '')
}

/** Who was kept from granting it, and why. */
async function refusalsOf(id: string): Promise<string[][]> {
  const audit = await one.app.inject({ url: '/api/v1/audit', headers: as('ann') })
  return audit
    .json<AuditPage>()
    .items.filter(({ action, result }) => action === 'refused' && result.endsWith(id))
    .map(({ by, result }) => [personOf(by), result.split(' ')[0]!])
    .toReversed()
}
