import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type {
  Approval,
  Problem,
  Task,
  TaskList,
} from '../../../packages/cli/src/http-api/contract/contract.ts'
import { eventually } from '../../support/eventually.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { type ApiRig, deadLetterTo, startApiRig } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const { as } = broker
const lists = ['dlqs', 'tasks', 'approvals', 'history', 'queues'].map((name) => `/api/v1/${name}`)
let rig: ApiRig

beforeAll(async () => {
  await broker.createAccount('ann', { tag: 'administrator' })
  await broker.createAccount('olga', { tag: 'policymaker' })
  await broker.createAccount('lea', { tag: 'administrator', read: '^open' })
  const server = { approval: { above: 1 }, history: { every: '100ms' }, backups: { folder: '/nowhere' } }
  rig = await startApiRig({ ...broker, server })
  for (const queue of ['open.dlq', 'closed.dlq']) await fill(queue, 2)
})
afterAll(() => rig.close())

async function fill(queue: string, count: number): Promise<void> {
  await rig.declareDlq(queue)
  await rig.declareDlq(`${queue}.work`, deadLetterTo(queue))
  const message = { key: queue, body: 1, headers: { 'x-original-queue': `${queue}.work` } }
  await rig.publish(Array.from({ length: count }, () => message))
}

const get = (url: string, name: string, headers: object = {}) =>
  rig.app.inject({ url, headers: { ...as(name), ...headers } })

const post = (path: string, name: string, payload?: object) =>
  rig.app.inject({
    method: 'POST',
    url: `/api/v1/${path}`,
    headers: as(name),
    ...(payload && { payload }),
  })

describe('a list that is written once for many', () => {
  it('shows nobody the queues of others, even if several callers ask at the same time', async () => {
    const limited = await post('redrives', 'ann', { queue: 'closed.dlq', limit: 1 })
    await get(`/api/v1/tasks/${limited.json<Task>().id}/events`, 'ann')
    await fill('closed.dlq', 2)
    const waiting = await post('redrives', 'ann', { queue: 'closed.dlq' })
    expect([limited.statusCode, waiting.statusCode]).toEqual([202, 202])
    await eventually(async () => {
      for (const url of lists) expect((await get(url, 'ann')).body, url).toContain('closed.dlq')
    })

    for (const url of lists) {
      const asked = ['ann', 'lea', 'ann', 'lea', 'lea', 'ann'].map(
        async (name) => [name, await get(url, name)] as const,
      )
      for (const [name, answer] of await Promise.all(asked)) {
        expect(answer.statusCode).toBe(200)
        expect([url, name, answer.body.includes('closed.dlq')]).toEqual([url, name, name === 'ann'])
      }
    }
  })

  it('is the same by its tag for as long as nothing has changed, and then another', async () => {
    const first = await get('/api/v1/approvals', 'ann')
    const etag = String(first.headers.etag)
    const same = await get('/api/v1/approvals', 'ann', { 'if-none-match': etag })
    await fill('changed.dlq', 2)
    await post('redrives', 'ann', { queue: 'changed.dlq' })
    const other = await get('/api/v1/approvals', 'ann', { 'if-none-match': etag })

    expect([same.statusCode, same.body]).toEqual([304, ''])
    expect(other.statusCode).toBe(200)
    expect(other.body).toContain('changed.dlq')
  })

  it('shows at once what who asks has just done', async () => {
    const seen = `${namePerTry('seen')}.dlq`
    await fill(seen, 1)
    const states = async (): Promise<string[]> =>
      (await get('/api/v1/tasks', 'ann'))
        .json<TaskList>()
        .items.filter(({ queue }) => queue === seen)
        .map(({ state }) => state)
    const before = await states()

    const { id } = (await post('redrives', 'ann', { queue: seen })).json<Task>()
    const begun = await states()
    await get(`/api/v1/tasks/${id}/events`, 'ann')

    expect(before).toEqual([])
    expect(begun).toHaveLength(1)
    expect(await states()).toEqual(['done'])
  })
})

describe('an approval', () => {
  it('is not refused by who could not grant it, and is taken back by who asked', async () => {
    await fill('kept.dlq', 2)
    const { id } = (await post('dlqs/kept.dlq/discard', 'ann', {})).json<Approval>()

    const refused = await post(`approvals/${id}/refuse`, 'olga')
    const takenBack = await post(`approvals/${id}/refuse`, 'ann')

    expect([refused.statusCode, refused.json<Problem>().code]).toEqual([403, 'API_FORBIDDEN'])
    expect(takenBack.json<Approval>()).toMatchObject({ state: 'refused' })
  })

  it('to discard is not granted where the queue is no dead-letter queue any more, and goes on waiting', async () => {
    await broker.createAccount('bob', { tag: 'administrator' })
    await fill('gone.dlq', 2)
    const { id } = (await post('dlqs/gone.dlq/discard', 'ann', {})).json<Approval>()
    await broker.management('DELETE', `/api/queues/${encodeURIComponent(broker.vhost)}/gone.dlq`)

    const granted = await post(`approvals/${id}/grant`, 'bob')

    expect([granted.statusCode, granted.json<Problem>().code]).toEqual([404, 'API_NOT_FOUND'])
    expect((await get(`/api/v1/approvals/${id}`, 'ann')).json<Approval>()).toMatchObject({ state: 'waiting' })
  })
})
