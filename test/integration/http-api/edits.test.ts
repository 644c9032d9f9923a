import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type {
  MessagePage,
  Problem,
  Receipt,
  Task,
} from '../../../packages/cli/src/http-api/contract/contract.ts'
import { createRecordSeals } from '../../../packages/cli/src/http-api/records/record-seals.ts'
import { sealMessage } from '../../../packages/cli/src/http-api/records/seal-message.ts'
import { readServerKeys } from '../../../packages/cli/src/http-api/records/server-keys.ts'
import type { SharedTask } from '../../../packages/cli/src/http-api/tasks/shared-task.ts'
import { eventually } from '../../support/eventually.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { startProxy } from '../../support/start-proxy.ts'
import { type ApiRig, deadLetterTo, serverKey, startApiRig } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const { headers } = broker
const body = { card: { number: '4111' }, amount: -1 }
let rig: ApiRig
let masked: ApiRig

beforeAll(async () => {
  await broker.createAccount('olga', { tag: 'policymaker' })
  rig = await startApiRig(broker)
  masked = await startApiRig({
    ...broker,
    server: { payloads: { mask: ['card.number'], hideFrom: ['operator'] } },
  })
})
afterAll(async () => {
  await Promise.all([rig.close(), masked.close()])
})

/** Three messages in a dead-letter queue; the key of the second on this server. */
async function setup(name: string, { app } = rig) {
  const queue = `${namePerTry(name)}.dlq`
  await rig.declareDlq(queue)
  await rig.declareDlq(`${queue}.work`, deadLetterTo(queue))
  await rig.publish(
    ['first', 'second', 'third'].map((messageId) => ({
      key: queue,
      body,
      messageId,
      headers: { 'x-original-queue': `${queue}.work`, tenant: 'acme', stale: true },
    })),
  )
  const page = await app.inject({ url: `/api/v1/dlqs/${queue}/messages`, headers })
  return { queue, key: page.json<MessagePage>().items[1]!.key }
}

function edit(place: string, payload: object, { app } = rig, authorization = headers.authorization) {
  return app.inject({
    method: 'POST',
    url: `/api/v1/dlqs/${place}/redrive`,
    headers: { authorization },
    payload,
  })
}

describe('a message that is edited', () => {
  it('goes back with its new body and headers, and tells what it was; the others stay', async () => {
    const { queue, key } = await setup('edited')

    const answer = await edit(`${queue}/messages/${key}`, {
      body: { encoding: 'utf8', text: '{"amount":1}' },
      headers: { tenant: 'umbrella', stale: null, added: 7 },
      reason: 'a sign was wrong',
    })
    const { id } = answer.json<Task>()
    await rig.app.inject({ url: `/api/v1/tasks/${id}/events`, headers })
    const receipt = await rig.app.inject({ url: `/api/v1/tasks/${id}/receipt`, headers })

    expect(answer.statusCode, answer.body).toBe(202)
    expect(answer.headers.location).toBe(`/api/v1/tasks/${id}`)
    expect(receipt.json<Receipt>()).toMatchObject({ present: 3, moved: 1, isBalanced: true })
    const [moved] = await broker.peek(`${queue}.work`)
    expect(moved?.properties.messageId).toBe('second')
    expect(String(moved?.body)).toBe('{"amount":1}')
    expect(moved?.headers).toMatchObject({
      tenant: 'umbrella',
      added: 7,
      'x-redriven-by': broker.username,
      'x-redriven-reason': 'a sign was wrong',
      'warren-previous': { body: Buffer.from(JSON.stringify(body)) },
    })
    expect(moved?.headers).not.toHaveProperty('stale')
    await broker.expectDepths({ [queue]: 2, [`${queue}.work`]: 1 })
    expect((await broker.peek(queue)).map(({ properties }) => properties.messageId)).toEqual([
      ...['first', 'third'],
    ])
  })

  it('may go back as it is', async () => {
    const { queue, key } = await setup('single')

    const { id } = (await edit(`${queue}/messages/${key}`, {})).json<Task>()
    await rig.app.inject({ url: `/api/v1/tasks/${id}/events`, headers })

    const [moved, ...others] = await broker.peek(`${queue}.work`)
    expect(JSON.parse(String(moved?.body))).toEqual(body)
    expect(others).toEqual([])
  })

  it('is not found when it has gone', async () => {
    const { queue } = await setup('gone')

    const answer = await edit(`${queue}/messages/${'0'.repeat(32)}`, {})

    expect(answer.statusCode).toBe(404)
    expect(await broker.depth(queue)).toBe(3)
  })

  it.each(['CC', 'x-death', 'x-redriven-by', 'warren-previous', 'x-original-queue', ''])(
    'does not get the header "%s" by hand',
    async (name) => {
      const { queue } = await setup('by-hand')

      const answer = await edit(`${queue}/messages/${'0'.repeat(32)}`, { headers: { [name]: 'x' } })

      expect(answer.statusCode).toBe(400)
      expect(answer.json<Problem>().code).toBe('API_REQUEST_INVALID')
    },
  )

  it('does not get a new body where parts of the old one are shown to nobody, or to nobody of the role', async () => {
    const { queue, key } = await setup('masked', masked)
    const payload = { body: { encoding: 'utf8', text: '{"card":{"number":"***"}}' } }

    const ofMasked = await edit(`${queue}/messages/${key}`, payload, masked)
    const ofHidden = await edit(`${queue}/messages/${key}`, payload, masked, broker.as('olga').authorization)

    expect([ofMasked.statusCode, ofHidden.statusCode]).toEqual([403, 403])
    expect(await broker.depth(queue)).toBe(3)
  })
})

describe('an edit whose server ends before it', () => {
  /** What a server wrote that is gone by now. */
  async function leaveBehind(queue: string, key: string): Promise<string> {
    const id = randomUUID()
    const task: Task = {
      id,
      kind: 'redrive',
      state: 'running',
      queue,
      by: 'ann',
      reason: null,
      host: 'gone',
      startedAt: new Date().toISOString(),
      endedAt: null,
      movedBefore: 0,
      problem: null,
      isSigned: true,
      limit: 1,
      progress: { present: 3, moved: 0, failed: 0, kept: 0 },
    }
    const asked = { kind: 'edit', key } as const
    const shared: SharedTask = {
      task,
      run: 1,
      server: id,
      presence: `warren.server.${id}.1`,
      asked,
      receipt: null,
    }
    const place = { vhost: broker.vhost, stream: 'warren.tasks' }
    const seals = createRecordSeals(readServerKeys(serverKey), place)
    const record = { kind: 'task', shared }
    await rig.publish([sealMessage(seals, { stream: place.stream, type: record.kind, record })])
    return id
  }

  async function whenInterrupted(id: string): Promise<Task> {
    return eventually(async () => {
      const task = (await rig.app.inject({ url: `/api/v1/tasks/${id}`, headers })).json<Task>()
      expect(task.state).toBe('interrupted')
      return task
    })
  }

  it('is told as not done where its message is still in the queue, and as done where it is not', async () => {
    const { queue, key } = await setup('left')

    const undone = await whenInterrupted(await leaveBehind(queue, key))
    const done = await whenInterrupted(await leaveBehind(queue, '0'.repeat(32)))
    const resumed = await rig.app.inject({ method: 'POST', url: `/api/v1/tasks/${done.id}/resume`, headers })
    const receipt = await rig.app.inject({ url: `/api/v1/tasks/${done.id}/receipt`, headers })

    expect(undone).toMatchObject({ progress: { moved: 0 }, problem: { code: 'API_EDIT_INTERRUPTED' } })
    expect(undone.problem?.detail).toMatch(/unchanged\. Edit it again/)
    expect(done).toMatchObject({ progress: { moved: 1 }, problem: { code: 'API_EDIT_INTERRUPTED' } })
    expect(done.problem?.detail).toContain(`no longer in "${queue}"`)
    expect(resumed.json<Problem>()).toMatchObject({ status: 409, detail: done.problem?.detail })
    expect(receipt.json<Problem>().detail).toContain(done.problem!.detail)
    expect(await broker.depth(queue)).toBe(3)
  })

  it('is told as unknown where nobody can look', async () => {
    const { problem, progress } = await whenInterrupted(await leaveBehind('nowhere.dlq', '0'.repeat(32)))

    expect(problem?.detail).toMatch(/could not be checked/)
    expect(progress.moved).toBe(0)
  })

  it('by being told to stop leaves the message where it was, and says so on all servers', async () => {
    const { queue, key } = await setup('ended')
    const proxy = await startProxy({ target: Number(new URL(broker.url).port) })
    onTestFinished(() => proxy.close())
    const ending = await startApiRig({ ...broker, url: proxy.urlFor(broker.url) })
    // The first consumer looks whether the message is there, the second one takes it.
    const consume = { direction: 'to-broker', classId: 60, methodId: 20, nth: 2 } as const
    const taken = proxy.atFrame(consume, { kind: 'delay', delayMs: 3_000 })

    const { id } = (await edit(`${queue}/messages/${key}`, {}, ending)).json<Task>()
    await taken
    const closed = ending.close()
    await eventually(async () => {
      const task = (await rig.app.inject({ url: `/api/v1/tasks/${id}`, headers })).json<Task>()
      expect(task.state).toBe('cancelling')
    })
    proxy.resume()
    await closed
    const { problem, progress } = await whenInterrupted(id)

    expect(problem?.detail).toMatch(/unchanged\. Edit it again/)
    expect(progress.moved).toBe(0)
    await broker.expectDepths({ [queue]: 3, [`${queue}.work`]: 0 })
  })
})
