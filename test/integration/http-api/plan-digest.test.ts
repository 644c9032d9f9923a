import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type {
  Approval,
  Discarded,
  MessagePage,
  Problem,
  RedrivePlan,
  Snapshot,
  Task,
} from '../../../packages/cli/src/http-api/contract/contract.ts'
import { deleteQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { connect } from '../../../packages/warrenmq/src/index.ts'
import { eventually } from '../../support/eventually.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { runCliHere } from '../../support/run-cli-here.ts'
import { type ApiRig, deadLetterTo, setUpApi } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
beforeAll(() => broker.createAccount('ann', { tag: 'policymaker' }))
beforeAll(() => broker.createAccount('bob', { tag: 'policymaker' }))

interface Filled extends ApiRig {
  readonly queue: string
  readonly work: string
  add(count: number): Promise<void>
}

async function setup(name: string, count: number, server: object = {}): Promise<Filled> {
  const folder = mkdtempSync(join(tmpdir(), 'warren-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const rig = await setUpApi({
    ...broker,
    server: { ...server, snapshots: { folder }, backups: { folder: join(folder, 'backups') } },
  })
  const queue = `${namePerTry(name)}.dlq`
  const work = `${queue}.work`
  await rig.declareDlq(queue)
  await rig.declareDlq(work, deadLetterTo(queue))
  let published = 0
  const add = async (more: number): Promise<void> => {
    const headers = { 'x-original-queue': work }
    const message = (at: number) => ({ key: queue, body: at, messageId: `m-${at}`, headers })
    await rig.publish(Array.from({ length: more }, (_, at) => message(published + at)))
    published += more
  }
  await add(count)
  return { ...rig, queue, work, add }
}

interface Asked {
  readonly url: string
  readonly payload?: object
  readonly headers?: Record<string, string>
  readonly status?: number
}

async function call<Body>({ app }: ApiRig, asked: Asked): Promise<Body> {
  const { url, payload, headers = broker.headers, status = 200 } = asked
  const method = payload ? 'POST' : 'GET'
  const answer = await app.inject({ method, url: `/api/v1/${url}`, headers, ...(payload && { payload }) })
  expect(answer.statusCode, answer.body).toBe(status)
  return answer.json<Body>()
}

const plan = (rig: Filled, more: object = {}) =>
  call<RedrivePlan>(rig, { url: 'redrives/plan', payload: { queue: rig.queue, ...more } })
const start = <Body = Task>(rig: Filled, more: object, status = 202) =>
  call<Body>(rig, { url: 'redrives', payload: { queue: rig.queue, ...more }, status })

async function whenDone(rig: Filled, { id }: Task): Promise<Task> {
  return eventually(async () => {
    const task = await call<Task>(rig, { url: `tasks/${id}` })
    expect(task.state).toBe('done')
    return task
  })
}

describe('the digest of a plan', () => {
  it('is the same through the API, the command line and the library', async () => {
    const rig = await setup('same', 3)
    const request = { where: 'id:m-0 or id:m-1', limit: 5 }
    const warren = await connect(broker.url, { managementUrl: broker.managementUrl })
    onTestFinished(() => warren.close())

    const fromApi = await plan(rig, request)
    const fromLibrary = await warren.deadLetters(rig.queue).preview(request)
    const fromCli = await runCliHere([
      ...['dlq', 'redrive', rig.queue, '--where', request.where, '--limit', '5', '--dry-run', '--json'],
      ...['--url', broker.url, '--management-url', broker.managementUrl],
    ])

    expect(fromApi).toMatchObject({ moving: 2, digest: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(fromLibrary.digest).toBe(fromApi.digest)
    expect(JSON.parse(fromCli.printed)).toMatchObject({ digest: fromApi.digest })
  })

  it('stays the same while what was not asked for comes in, and is another one for another question', async () => {
    const rig = await setup('steady', 3)
    const first = await plan(rig, { where: 'id:m-0' })
    const limited = await plan(rig, { limit: 2 })

    await rig.add(2)

    expect((await plan(rig, { where: 'id:m-0', ratePerSecond: 5, reason: 'x' })).digest).toBe(first.digest)
    expect((await plan(rig, { limit: 2 })).digest).toBe(limited.digest)
    expect((await plan(rig, { where: 'id:m-1' })).digest).not.toBe(first.digest)
    expect((await plan(rig, { where: 'id:m-0', attempts: 'continue' })).digest).not.toBe(first.digest)
  })
})

describe('a start that names its plan', () => {
  it('moves what the plan has, and no more', async () => {
    const rig = await setup('started', 3)
    const { digest } = await plan(rig)

    const task = await whenDone(rig, await start(rig, { planDigest: digest }))

    expect(task.progress).toMatchObject({ present: 3, moved: 3 })
    expect(task.limit).toBe(3)
    await broker.expectDepths({ [rig.queue]: 0, [rig.work]: 3 })
  })

  it('is refused with what has changed, and moves nothing', async () => {
    const rig = await setup('stale', 3)
    const { digest } = await plan(rig)

    await rig.add(2)
    const grown = await start<Problem>(rig, { planDigest: digest }, 409)
    const { digest: second } = await plan(rig)
    const channel = await rig.consuming.openChannel()
    await deleteQueue(channel, rig.work)
    await channel.close()
    const unbound = await start<Problem>(rig, { planDigest: second }, 409)
    const unknown = await start<Problem>(rig, { planDigest: '0'.repeat(64) }, 409)

    expect(grown).toMatchObject({ code: 'API_PLAN_CHANGED' })
    expect(grown.detail).toContain('2 more messages would move: 5 instead of 3.')
    expect(unbound.detail).toContain('5 fewer messages would move: 0 instead of 5.')
    expect(unknown.detail).toContain('Now 0 messages would move.')
    await broker.expectDepths({ [rig.queue]: 5 })
  })

  it('of nothing moves nothing, whatever has come in since', async () => {
    const rig = await setup('nothing', 0)
    const { digest, moving } = await plan(rig)

    const refused = await start<Problem>(rig, { planDigest: digest }, 409)
    await rig.add(1)

    expect(moving).toBe(0)
    expect(refused).toMatchObject({ code: 'API_NOTHING_TO_MOVE' })
    expect(refused.detail).toContain('would move no message')
    await broker.expectDepths({ [rig.queue]: 1, [rig.work]: 0 })
  })

  it('is held to it when a second person grants it, too', async () => {
    const rig = await setup('granted', 3, { approval: { above: 1 } })
    const { digest } = await plan(rig)
    const ask = async () =>
      call<Approval>(rig, {
        url: 'redrives',
        payload: { queue: rig.queue, planDigest: digest },
        status: 202,
        headers: broker.as('ann'),
      })
    const grant = ({ id }: Approval, status: number) =>
      call<Approval & Problem>(rig, {
        url: `approvals/${id}/grant`,
        payload: {},
        headers: broker.as('bob'),
        status,
      })

    const first = await ask()
    const second = await ask()
    await whenDone(rig, { ...(await grant(first, 202)) } as unknown as Task)
    const refused = await grant(second, 409)

    expect(refused).toMatchObject({ code: 'API_PLAN_CHANGED' })
    await broker.expectDepths({ [rig.queue]: 0, [rig.work]: 3 })
  })
})

describe('messages that were chosen one by one', () => {
  it('go back alone, and the plan says which are gone', async () => {
    const rig = await setup('chosen', 4)
    const { items } = await call<MessagePage>(rig, { url: `dlqs/${rig.queue}/messages` })
    const keys = [items[1]!.key, items[3]!.key]

    const before = await plan(rig, { keys })
    await whenDone(rig, await start(rig, { keys, planDigest: before.digest }))
    const after = await plan(rig, { keys })

    expect(before).toMatchObject({ moving: 2, missing: 0 })
    expect(after).toMatchObject({ moving: 0, missing: 2 })
    expect((await broker.peek(rig.work)).map(({ properties }) => properties.messageId)).toEqual([
      'm-1',
      'm-3',
    ])
    await broker.expectDepths({ [rig.queue]: 2 })
  })

  it('are discarded alone', async () => {
    const rig = await setup('dropped', 3)
    const { items } = await call<MessagePage>(rig, { url: `dlqs/${rig.queue}/messages` })
    const keys = [items[2]!.key, 'f'.repeat(32)]

    const discarded = await call<Discarded>(rig, { url: `dlqs/${rig.queue}/discard`, payload: { keys } })

    expect(discarded).toMatchObject({ removed: 1, left: 2, missing: 1 })
    expect((await broker.peek(rig.queue)).map(({ properties }) => properties.messageId)).toEqual([
      'm-0',
      'm-1',
    ])
  })

  it('of a snapshot are compared with the queue of now', async () => {
    const rig = await setup('compared', 4)
    const { id } = await call<Snapshot>(rig, {
      url: `dlqs/${rig.queue}/snapshots`,
      payload: {},
      status: 202,
    })
    await eventually(async () => {
      expect(await call<Snapshot>(rig, { url: `dlqs/${rig.queue}/snapshots/${id}` })).toMatchObject({
        state: 'done',
      })
    })
    await whenDone(rig, await start(rig, { where: 'id:m-0' }))
    await rig.add(3)

    const all = await plan(rig, { snapshot: id })
    const some = await plan(rig, { snapshot: id, where: 'id:m-0 or id:m-1' })
    const none = await plan(rig)

    expect(all.sinceSnapshot).toMatchObject({ gone: 1, come: 3 })
    expect(some.sinceSnapshot).toMatchObject({ gone: 1, come: 0 })
    expect(none.sinceSnapshot).toBeNull()
    expect(all.digest).toBe(none.digest)
  })
})
