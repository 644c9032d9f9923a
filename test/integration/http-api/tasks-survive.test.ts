import { expect, it, onTestFinished } from 'vitest'
import type {
  AuditPage,
  MessagePage,
  Receipt,
  Task,
  TaskList,
  TaskState,
} from '../../../packages/cli/src/http-api/contract/contract.ts'
import { eventually } from '../../support/eventually.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { startProxy } from '../../support/start-proxy.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createRecoveryRig } from '../recovery/recovery-rig.ts'
import { type ApiRig, basic, setUpApi, startApiRig } from './api-rig.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

const broker = await useBroker()
const managementUrl = broker.managementUrl.replace('://', `://${broker.username}:${broker.password}@`)
const present = 1_000
/** Processes start slowly on a machine that is busy. */
const patientMs = 300_000

async function setup(name: string) {
  const rig = await createRecoveryRig(broker)
  const own = namePerTry(name)
  const [work, dlq] = [`${own}.work`, `${own}.dlq`]
  await rig.declareWork(work, dlq)
  await rig.declare(dlq)
  await rig.fill(dlq, present, () => ({ headers: { 'x-original-queue': work } }))
  const [first, second] = await Promise.all([startServerProcess(broker), startServerProcess(broker)])
  return { ...rig, work, dlq, first, second }
}

it('a task whose server is killed is interrupted with its true counts, and another server goes on with it', {
  timeout: patientMs,
}, async () => {
  const { first, second, work, dlq, depth, drain } = await setup('killed')
  const request = { queue: dlq, ratePerSecond: 100, reason: 'the gateway is back' }

  const { id } = await first.post<Task>('/api/v1/redrives', request)
  const path = `/api/v1/tasks/${id}`
  await eventually(async () => {
    const { state, progress } = await second.get<Task>(path)
    expect(state).toBe('running')
    expect(progress.present).toBe(present)
    expect(progress.moved).toBeGreaterThan(100)
  })
  const busy = second.post('/api/v1/redrives', request)
  await expect(busy).rejects.toThrow(/409.*RECOVERY_LOCKED/s)
  await first.kill9()

  const interrupted = await eventually(async () => {
    const task = await second.get<Task>(path)
    expect(task.state).toBe('interrupted')
    return task
  })
  const left = await depth(dlq)
  expect(interrupted.progress).toMatchObject({ present, moved: present - left })
  expect(left).toBeGreaterThan(0)

  const resumed = await second.post<Task>(`${path}/resume`)
  expect(resumed).toMatchObject({ id, state: 'running', movedBefore: present - left })
  const done = await eventually(async () => {
    const task = await second.get<Task>(path)
    expect(task.state).toBe('done')
    return task
  })

  expect(done.progress).toEqual({ present, moved: present, failed: 0, kept: 0 })
  expect(await second.get<Receipt>(`${path}/receipt`)).toMatchObject({ id, moved: left, isBalanced: true })
  expect(await depth(dlq)).toBe(0)
  const ids = (await drain(work)).map(({ properties }) => properties.messageId)
  expect(new Set(ids).size).toBe(present)
  expect(ids.length - present).toBeLessThanOrEqual(400)
  const { items } = await second.get<AuditPage>('/api/v1/audit')
  const told = items
    .filter(({ target }) => target === dlq)
    .map(({ action, result }) => `${action} ${result}`)
    .toReversed()
  expect(told).toEqual([
    `redrive begun ${id}: {"queue":"${dlq}","ratePerSecond":100,"reason":"the gateway is back"}`,
    `redrive interrupted ${id}: ${present - left} moved at least`,
    `task.resume ${id}`,
    `redrive done ${id}: ${present} moved, 0 failed, 0 kept`,
  ])
})

it('two servers show the same tasks, and each can steer those of the other', {
  timeout: patientMs,
}, async () => {
  const { first, second, work, dlq, depth } = await setup('shared')
  const list = async () => {
    const lists = await Promise.all([first, second].map((each) => each.get<TaskList>('/api/v1/tasks')))
    expect(lists[0]!.items).toEqual(lists[1]!.items)
    return lists[0]!.items
  }

  const { id } = await first.post<Task>('/api/v1/redrives', { queue: dlq, ratePerSecond: 100 })
  const paused = await second.post<Task>(`/api/v1/tasks/${id}/pause`)
  expect(paused.state).toBe('paused')
  await eventually(async () => expect((await list())[0]).toMatchObject({ id, state: 'paused' }))
  await second.post<Task>(`/api/v1/tasks/${id}/resume`)
  await second.post<Task>(`/api/v1/tasks/${id}/cancel`)
  const ended = await eventually(async () => {
    const [task] = await list()
    expect(task).toMatchObject({ id, state: 'cancelled' })
    return task!
  })

  const receipts = [first, second].map((each) => each.get<Receipt>(`/api/v1/tasks/${id}/receipt`))
  const [one, other] = await Promise.all(receipts)
  expect(one).toEqual(other)
  expect(one).toMatchObject({ moved: ended.progress.moved, isBalanced: true })
  expect([await depth(work), await depth(dlq)]).toEqual([one!.moved, present - one!.moved])
})

const isolatedTopology = (queue: string) =>
  ({
    layout: 'isolated',
    exchanges: { 'domain.events': { type: 'topic' } },
    queues: {
      [queue]: {
        bind: [{ exchange: 'domain.events', key: 'files.*' }],
        retry: { delays: ['50ms'], maxAttempts: 3 },
      },
    },
  }) as const

it('a re-drive through /admin/dlq whose server is killed goes on at another server, by the same way back', {
  timeout: patientMs,
}, async () => {
  const rig = await createRecoveryRig(broker)
  const work = namePerTry('q.scan')
  const isolated = isolatedTopology(work)
  await (await startApiRig({ url: broker.url, managementUrl, topology: isolated })).close()
  const dlq = `${work}.dlq`
  const count = 600
  await rig.fill(dlq, count, () => ({
    body: Buffer.alloc(2_000),
    headers: { 'x-original-queue': 'another' },
  }))
  const proxy = await startProxy({ target: Number(new URL(broker.url).port) })
  onTestFinished(() => proxy.close())
  const slow = { ...broker, url: proxy.urlFor(broker.url) }
  const [first, second] = await Promise.all([
    startServerProcess(slow, isolated),
    startServerProcess(broker, isolated),
  ])

  proxy.throttle(300_000)
  const limit = count - 100
  const unanswered = first
    .post(`/admin/dlq/queues/${dlq}/re-drive`, { limit })
    .catch((error: unknown) => error)
  const { id } = await eventually(async () => {
    const { items } = await second.get<TaskList>('/api/v1/tasks')
    const task = items.find(({ queue }) => queue === dlq)
    expect(task?.progress.moved).toBeGreaterThan(0)
    return task!
  })
  await first.kill9()
  expect(await unanswered).toBeInstanceOf(Error)
  const path = `/api/v1/tasks/${id}`
  const interrupted = await stateOf(second, path, 'interrupted')
  const left = await rig.depth(dlq)
  expect(interrupted).toMatchObject({ problem: null, progress: { present: count, moved: count - left } })
  expect(left).toBeGreaterThan(100)

  await second.post<Task>(`${path}/resume`)
  const done = await stateOf(second, path, 'done')

  expect(done.progress).toMatchObject({ moved: limit, failed: 0 })
  expect(await rig.depth(dlq)).toBe(count - limit)
  await eventually(async () => expect(await rig.depth(work)).toBeGreaterThanOrEqual(limit))
  const arrived = await rig.drain(work)
  expect(new Set(arrived.map(({ properties }) => properties.messageId)).size).toBe(limit)
  const ways = arrived.map(({ headers }) => (headers['x-death'] as { exchange: string }[])[0]!.exchange)
  expect(new Set(ways)).toEqual(new Set([`retry.${work}`]))
})

it('an edit whose server is killed before it sent the message says so, and can be made again', {
  timeout: patientMs,
}, async () => {
  const rig = await createRecoveryRig(broker)
  const own = namePerTry('edit')
  const [work, dlq] = [`${own}.work`, `${own}.dlq`]
  await rig.declareWork(work, dlq)
  await rig.declare(dlq)
  await rig.fill(dlq, 3, () => ({ headers: { 'x-original-queue': work } }))
  const proxy = await startProxy({ target: Number(new URL(broker.url).port) })
  onTestFinished(() => proxy.close())
  const [first, second] = await Promise.all([
    startServerProcess({ ...broker, url: proxy.urlFor(broker.url) }),
    startServerProcess(broker),
  ])
  const { items } = await second.get<MessagePage>(`/api/v1/dlqs/${dlq}/messages`)
  const edit = `/api/v1/dlqs/${dlq}/messages/${items[1]!.key}/redrive`
  const body = { encoding: 'utf8', text: 'corrected' }
  // The first consumer looks whether the message is there, the second one takes it.
  const taken = proxy.atFrame(
    { direction: 'to-broker', classId: 60, methodId: 20, nth: 2 },
    { kind: 'swallow', direction: 'both' },
  )

  const { id } = await first.post<Task>(edit, { body })
  await taken
  await first.kill9()
  const path = `/api/v1/tasks/${id}`
  const interrupted = await stateOf(second, path, 'interrupted')
  const resumed = second.post(`${path}/resume`)

  await expect(resumed).rejects.toThrow(/409.*API_EDIT_INTERRUPTED.*Edit it again/s)
  expect(interrupted).toMatchObject({ progress: { moved: 0 }, problem: { code: 'API_EDIT_INTERRUPTED' } })
  expect([await rig.depth(work), await rig.depth(dlq)]).toEqual([0, 3])
  const again = await second.post<Task>(edit, { body })
  await stateOf(second, `/api/v1/tasks/${again.id}`, 'done')
  expect((await rig.drain(work)).map((message) => message.body)).toEqual(['corrected'])
  expect(await rig.depth(dlq)).toBe(2)
})

async function stateOf(server: ServerProcess, path: string, state: TaskState): Promise<Task> {
  return eventually(async () => {
    const task = await server.get<Task>(path)
    expect(task.state).toBe(state)
    return task
  })
}

/** Two servers in this process; the line of the first one can be cut. */
async function setupCuttable(name: string) {
  const rig = await createRecoveryRig(broker)
  const own = namePerTry(name)
  const [work, dlq] = [`${own}.work`, `${own}.dlq`]
  await rig.declareWork(work, dlq)
  await rig.declare(dlq)
  await rig.fill(dlq, 60, () => ({ headers: { 'x-original-queue': work } }))
  const proxy = await startProxy({ target: Number(new URL(broker.url).port) })
  onTestFinished(() => proxy.close())
  const first = await setUpApi({ url: proxy.urlFor(broker.url), managementUrl })
  const second = await setUpApi({ url: broker.url, managementUrl })
  const headers = { authorization: basic(broker.username, broker.password) }
  const show = async ({ app }: ApiRig, id: string) =>
    (await app.inject({ url: `/api/v1/tasks/${id}`, headers })).json<Task>()
  const post = async ({ app }: ApiRig, url: string, payload?: object) =>
    (await app.inject({ method: 'POST', url, headers, ...(payload && { payload }) })).json<Task>()
  const { id } = await post(first, '/api/v1/redrives', { queue: dlq, ratePerSecond: 15 })
  await eventually(async () => expect((await show(second, id)).progress.moved).toBeGreaterThan(0))
  proxy.refuse()
  proxy.cutAll()
  const stateIs = (server: ApiRig, state: string) =>
    eventually(async () => expect((await show(server, id)).state).toBe(state))
  await stateIs(second, 'interrupted')
  return { ...rig, work, dlq, proxy, first, second, id, show, post, stateIs }
}

it('a server that was taken for gone and comes back goes on with its task', async () => {
  const { first, second, id, proxy, show, stateIs, depth, dlq, drain, work } = await setupCuttable('back')

  await proxy.accept()
  await stateIs(second, 'running')
  await stateIs(second, 'done')

  expect((await show(first, id)).progress).toMatchObject({ present: 60, moved: 60 })
  expect(await depth(dlq)).toBe(0)
  const ids = (await drain(work)).map(({ properties }) => properties.messageId)
  expect(new Set(ids).size).toBe(60)
})

it('a server that comes back after another has gone on with its task lets go of it', async () => {
  const { first, second, id, proxy, show, post, stateIs, depth, dlq, drain, work } =
    await setupCuttable('late')

  await post(second, `/api/v1/tasks/${id}/resume`)
  await proxy.accept()
  await stateIs(second, 'done')
  await stateIs(first, 'done')

  expect(await show(first, id)).toEqual(await show(second, id))
  expect((await show(first, id)).progress).toMatchObject({ moved: 60, failed: 0 })
  expect(await depth(dlq)).toBe(0)
  const ids = (await drain(work)).map(({ properties }) => properties.messageId)
  expect(new Set(ids).size).toBe(60)
})
