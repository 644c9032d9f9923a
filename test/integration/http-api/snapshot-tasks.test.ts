import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type {
  ListChange,
  Problem,
  Snapshot,
  SnapshotGrowth,
  SnapshotPage,
  Task,
  TaskList,
} from '../../../packages/cli/src/http-api/contract/contract.ts'
import { eventually } from '../../support/eventually.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { type ApiRig, deadLetterTo, setUpApi } from './api-rig.ts'
import { openEventSource, readEvents } from './event-source.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const { headers } = broker

interface Served extends ApiRig {
  readonly queue: string
  readonly path: string
}

async function setup(name: string, count: number): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'warren-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const rig = await setUpApi({ ...broker, server: { snapshots: { folder } } })
  const queue = `${namePerTry(name)}.dlq`
  await rig.declareDlq(queue)
  await rig.declareDlq(`${queue}.work`, deadLetterTo(queue))
  const failed = { 'x-original-queue': `${queue}.work` }
  await rig.publish(
    Array.from({ length: count }, (_, at) => ({
      key: queue,
      body: 'x'.repeat(512),
      messageId: `m-${at}`,
      headers: { ...failed, 'x-final-error': at % 3 === 0 ? 'Timeout' : 'Refused' },
    })),
  )
  return { ...rig, queue, path: `/api/v1/dlqs/${queue}/snapshots` }
}

async function call<Body>(
  { app }: ApiRig,
  { method = 'GET', url, status = 200 }: { method?: 'GET' | 'POST'; url: string; status?: number },
): Promise<Body> {
  const payload = method === 'POST' ? { payload: {} } : {}
  const answer = await app.inject({ method, url, headers, ...payload })
  expect(answer.statusCode, answer.body).toBe(status)
  return answer.json<Body>()
}

const make = (rig: Served) => call<Snapshot>(rig, { method: 'POST', url: rig.path, status: 202 })

async function whenEnded(rig: Served, id: string): Promise<Task> {
  return eventually(async () => {
    const task = await call<Task>(rig, { url: `/api/v1/tasks/${id}` })
    expect(task.endedAt).not.toBeNull()
    return task
  })
}

describe('a snapshot among the tasks', () => {
  it('is listed with what it has seen, all of which stays', async () => {
    const rig = await setup('listed', 30)
    const { id } = await make(rig)
    const task = await whenEnded(rig, id)

    const all = await call<TaskList>(rig, { url: `/api/v1/tasks?queue=${rig.queue}` })
    const moves = await call<TaskList>(rig, { url: '/api/v1/tasks?kind=redrive' })
    const receipt = await call<Problem>(rig, { url: `/api/v1/tasks/${id}/receipt`, status: 409 })

    expect(task).toMatchObject({
      id,
      kind: 'snapshot',
      state: 'done',
      queue: rig.queue,
      reason: null,
      isSigned: true,
      progress: { present: 30, moved: 0, failed: 0, kept: 30 },
    })
    expect(all.items).toEqual([task])
    expect(moves.items).toEqual([])
    expect(receipt).toMatchObject({ code: 'API_TASK_NOT_ENDED' })
  })

  it('stands in the stream of tasks, and leaves it when it is erased', async () => {
    const rig = await setup('streamed', 10)
    const url = await rig.listen()
    const stream = await readEvents(`${url}/api/v1/events?topics=tasks`, headers)

    const { id } = await make(rig)
    const states = () =>
      stream.events
        .flatMap(({ data }) => (data as ListChange<Task>).items)
        .filter((task) => task.id === id)
        .map(({ state }) => state)
    await eventually(() => expect(states()).toContain('done'))
    await rig.app.inject({ method: 'DELETE', url: `${rig.path}/${id}`, headers })

    await eventually(() =>
      expect(stream.events.flatMap(({ data }) => (data as ListChange<Task>).gone)).toContain(id),
    )
  })

  it('is cancelled like any other, stays known as that, and cannot be paused', async () => {
    const rig = await setup('called-off', 8_000)
    const { id } = await make(rig)
    const step = (name: string, status: number) =>
      call<Task & Problem>(rig, { method: 'POST', url: `/api/v1/tasks/${id}/${name}`, status })

    const paused = await step('pause', 400)
    const cancelled = await step('cancel', 202)
    const again = await step('cancel', 409)

    expect(paused.detail).toContain('cannot be paused')
    expect(cancelled).toMatchObject({ kind: 'snapshot', state: 'cancelled', problem: null })
    expect(again).toMatchObject({ code: 'API_TASK_ENDED' })
    expect(await call<Snapshot>(rig, { url: `${rig.path}/${id}` })).toMatchObject({
      state: 'cancelled',
      messages: 0,
      bytes: 0,
    })
    await broker.expectDepths({ [rig.queue]: 8_000 })
  })

  it('of another server is told with the name of its host', async () => {
    const rig = await setup('foreign', 1)
    const other = await setUpApi(broker)
    const { id, host } = await make(rig)

    const problem = await call<Problem>(other, { url: `/api/v1/tasks/${id}`, status: 409 })
    const cancel = { method: 'POST', url: `/api/v1/tasks/${id}/cancel`, status: 409 } as const

    expect(problem).toMatchObject({ code: 'API_SNAPSHOT_ELSEWHERE', detail: expect.stringContaining(host) })
    expect(await call<Problem>(other, cancel)).toMatchObject({ code: 'API_SNAPSHOT_ELSEWHERE' })
    await whenEnded(rig, id)
  })
})

describe('a snapshot that is followed', () => {
  it('tells causes while it grows, and a last time at its end', async () => {
    const rig = await setup('growing', 9_000)
    const url = await rig.listen()
    const { id } = await make(rig)

    const page = openEventSource(() => `${url}${rig.path}/${id}/events`, headers)
    await page.closed

    const told = page.events.map(({ data }) => data as SnapshotGrowth)
    const sums = told.map(({ causes }) => causes.reduce((sum, { count }) => sum + count, 0))
    expect(page.statuses).toEqual([200, 204])
    expect(new Set(page.events.map(({ name }) => name))).toEqual(new Set(['snapshot']))
    expect(sums).toEqual(told.map(({ snapshot }) => snapshot.messages))
    expect(sums).toEqual(sums.toSorted((left, right) => left - right))
    expect(told.at(-1)).toMatchObject({
      snapshot: { state: 'done', messages: 9_000, since: { messages: 9_000, change: 0 } },
      causes: [{ count: 6_000 }, { count: 3_000 }],
    })
  })

  it('says in every read as of when it is, and what has become of the queue since', async () => {
    const rig = await setup('since', 4)
    const { id } = await make(rig)
    await whenEnded(rig, id)
    const { asOf } = await call<Snapshot>(rig, { url: `${rig.path}/${id}` })
    await rig.publish([{ key: rig.queue, body: 'one more' }])

    const page = await call<SnapshotPage>(rig, { url: `${rig.path}/${id}/messages` })
    const reads = ['causes', 'facets', 'histogram', 'messages', `messages/${page.items[0]!.key}`]

    for (const read of reads)
      await eventually(async () =>
        expect(await call<SnapshotPage>(rig, { url: `${rig.path}/${id}/${read}` })).toMatchObject({
          asOf,
          since: { messages: 5, change: 1 },
        }),
      )
  })
})
