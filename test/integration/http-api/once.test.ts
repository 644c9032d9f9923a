import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type {
  Discarded,
  Problem,
  Restored,
  Task,
  TaskList,
} from '../../../packages/cli/src/http-api/contract/contract.ts'
import { eventually } from '../../support/eventually.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { type ApiRig, deadLetterTo, setUpApi } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const { as } = broker
beforeAll(async () => {
  for (const name of ['ann', 'bob']) await broker.createAccount(name, { tag: 'administrator' })
})

/** Two servers of one vhost, and a queue with dead letters. */
async function setup(count = 5) {
  const folder = mkdtempSync(join(tmpdir(), 'warren-once-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const options = { ...broker, server: { backups: { folder } } }
  const rig = await setUpApi(options)
  const other = await setUpApi(options)
  const queue = `${namePerTry('once')}.dlq`
  await rig.declareDlq(queue)
  await rig.declareDlq(`${queue}.work`, deadLetterTo(queue))
  const letter = { key: queue, body: 1, headers: { 'x-original-queue': `${queue}.work` } }
  const fill = () => rig.publish(Array.from({ length: count }, () => letter))
  await fill()
  const post = (
    to: ApiRig,
    { key, path = 'redrives', body = { queue, limit: 1 } as object, by = 'ann' }: Sent,
  ) =>
    to.app.inject({
      method: 'POST',
      url: `/api/v1/${path}`,
      payload: body,
      headers: { ...as(by), 'idempotency-key': key },
    })
  const tasks = async (of: ApiRig) =>
    (await of.app.inject({ url: '/api/v1/tasks', headers: as('ann') }))
      .json<TaskList>()
      .items.filter((task) => task.queue === queue)
  return { options, rig, other, queue, post, tasks, fill }
}

interface Sent {
  readonly key: string
  readonly path?: string
  readonly body?: object
  readonly by?: string
}

describe('a request with an idempotency-key', () => {
  it('is done once, whichever server it is sent to, and answered alike', async () => {
    const { rig, other, queue, post, tasks } = await setup()
    const key = namePerTry('key')

    const first = await post(rig, { key })
    const again = await post(rig, { key })
    const elsewhere = await post(other, { key })

    const answers = [first, again, elsewhere]
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([202, 202, 202])
    expect(new Set(answers.map((answer) => answer.json<Task>().id)).size).toBe(1)
    expect(new Set(answers.map(({ headers }) => headers.location)).size).toBe(1)
    expect(answers.map(({ headers }) => headers['idempotent-replayed'])).toEqual([undefined, 'true', 'true'])
    await eventually(async () => expect((await tasks(rig)).map(({ state }) => state)).toEqual(['done']))
    expect(await broker.depth(queue)).toBe(4)
  })

  it('is one task, also where two clicks come at the same moment on two servers', async () => {
    const { rig, other, queue, post, tasks } = await setup()
    const key = namePerTry('key')

    const clicks = await Promise.all([rig, other, rig, other].map((server) => post(server, { key })))

    // Those that came while the first one was under way are told to ask again, and then get its answer.
    const codes = clicks.map(({ statusCode }) => statusCode)
    expect(codes.filter((code) => code === 202).length).toBeGreaterThanOrEqual(1)
    expect(codes.every((code) => code === 202 || code === 409)).toBe(true)
    const { id } = clicks.find(({ statusCode }) => statusCode === 202)!.json<Task>()
    for (const server of [rig, other])
      await eventually(async () => expect((await post(server, { key })).json()).toMatchObject({ id }))
    await eventually(async () => expect((await tasks(rig)).map(({ state }) => state)).toEqual(['done']))
    expect(await broker.depth(queue)).toBe(4)
  })

  it('is remembered over a restart', async () => {
    const { options, rig, queue, post, tasks } = await setup()
    const key = namePerTry('key')
    const { id } = (await post(rig, { key })).json<Task>()
    await eventually(async () => expect((await tasks(rig)).map(({ state }) => state)).toEqual(['done']))
    await rig.close()
    const restarted = await setUpApi(options)

    expect((await post(restarted, { key })).json()).toMatchObject({ id })
    expect(await broker.depth(queue)).toBe(4)
  })

  it('is the caller’s own, and of one request', async () => {
    const { rig, queue, post } = await setup()
    const key = namePerTry('key')
    const { id } = (await post(rig, { key })).json<Task>()

    const reused = await post(rig, { key, body: { queue, limit: 2 } })
    const byBob = await post(rig, { key, by: 'bob', body: { queue, limit: 3 } })
    const wrong = await post(rig, { key: 'two words' })

    expect([reused.statusCode, reused.json<Problem>().code]).toEqual([422, 'API_KEY_REUSED'])
    expect(byBob.json<Task>().id).not.toBe(id)
    expect([wrong.statusCode, wrong.json<Problem>().code]).toEqual([400, 'API_REQUEST_INVALID'])
  })

  it('can be sent again where it was refused, and a discard removes only once', async () => {
    const { rig, queue, post, fill } = await setup()
    const key = namePerTry('key')
    const path = `dlqs/${queue}/discard`
    const gone = await post(rig, { key, body: { queue: 'no-such.dlq' } })
    const retried = await post(rig, { key, path, body: { reason: 'junk' } })
    await fill()
    const again = await post(rig, { key, path, body: { reason: 'junk' } })

    expect(gone.statusCode).toBeGreaterThanOrEqual(400)
    expect(retried.json<Discarded>()).toMatchObject({ removed: 5 })
    expect(again.json()).toEqual(retried.json())
    expect(await broker.depth(queue)).toBe(5)
  })
})

describe('an upload with an idempotency-key', () => {
  it('is known by what it holds: another one is not answered as if it had been restored', async () => {
    const [first, second] = [await setup(2), await setup(2)]
    const key = namePerTry('key')
    const download = async ({ rig, queue }: typeof first) =>
      (await rig.app.inject({ url: `/api/v1/dlqs/${queue}/backup`, headers: as('ann') })).rawPayload
    const [one, other] = [await download(first), await download(second)]
    // In pieces, as whoever sends it on its way does: nobody says how long it is.
    const restore = (payload: Buffer) =>
      first.rig.app.inject({
        method: 'POST',
        url: '/api/v1/restores',
        payload: Readable.from([payload]),
        headers: {
          ...as('ann'),
          'idempotency-key': key,
          'content-type': 'application/gzip',
          'transfer-encoding': 'chunked',
        },
      })

    const done = await restore(one)
    const again = await restore(one)
    const refused = await restore(other)

    expect(done.json<Restored>(), done.body).toMatchObject({ queue: first.queue, records: 2 })
    expect([again.statusCode, again.headers['idempotent-replayed']]).toEqual([200, 'true'])
    expect(again.json()).toEqual(done.json())
    expect(refused.json<Problem>(), refused.body).toMatchObject({ status: 422, code: 'API_KEY_REUSED' })
  })
})
