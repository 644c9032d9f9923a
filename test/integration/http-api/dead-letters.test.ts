import { describe, expect, it } from 'vitest'
import type {
  CauseList,
  MessageDetail,
  MessagePage,
  RedrivePlan,
  Task,
} from '../../../packages/cli/src/http-api/contract/contract.ts'
import { declareQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { type PlainTable, toFieldTable } from '../../../packages/warrenmq/src/wire/plain-fields.ts'
import { eventually } from '../../support/eventually.ts'
import { type ApiRig, deadLetterTo, setUpApi } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()

const { authorization } = broker.headers

async function setup(queue: string, count: number, args: PlainTable = {}): Promise<ApiRig> {
  const rig = await setUpApi(broker)
  await rig.declareDlq(queue, args)
  await rig.declareDlq(`${queue}.work`, deadLetterTo(queue))
  await rig.publish(
    Array.from({ length: count }, (_, at) => ({
      key: queue,
      body: { at },
      messageId: `m-${at}`,
      type: at % 2 === 0 ? 'Even' : 'Odd',
      headers: {
        'x-original-queue': `${queue}.work`,
        'x-last-error': at % 3 === 0 ? 'Timeout' : 'Refused',
        big: 2n ** 60n,
      },
    })),
  )
  return rig
}

async function get<Body>(rig: ApiRig, url: string): Promise<Body> {
  const answer = await rig.app.inject({ url, headers: { authorization } })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<Body>()
}

async function startRedrive(rig: ApiRig, body: object): Promise<Task> {
  const answer = await rig.app.inject({
    method: 'POST',
    url: '/api/v1/redrives',
    headers: { authorization },
    payload: body,
  })
  expect(answer.statusCode, answer.body).toBe(202)
  const task = answer.json<Task>()
  expect(answer.headers.location).toBe(`/api/v1/tasks/${task.id}`)
  return task
}

describe('dead letters over HTTP', () => {
  it('are listed by queue with their exact depth and those who consume from it', async () => {
    const rig = await setup('listed.dlq', 3)
    await rig.declareDlq('taken.dlq')
    const channel = await rig.consuming.openChannel()
    await channel.consume('taken.dlq', () => {})

    const { items } = await get<{ items: { queue: string }[] }>(rig, '/api/v1/dlqs')

    expect(items.find(({ queue }) => queue === 'listed.dlq')).toMatchObject({
      messages: 3,
      consumers: 0,
      type: 'quorum',
      knownBy: 'dead-lettering',
    })
    expect(items.find(({ queue }) => queue === 'taken.dlq')).toMatchObject({ messages: 0, consumers: 1 })
  })

  it('have their deaths in the order in which they died', async () => {
    const rig = await setUpApi(broker)
    await rig.declareDlq('way.dlq')
    const channel = await rig.consuming.openChannel()
    const ways = [
      ['way.second', 'way.dlq'],
      ['way.first', 'way.second'],
    ] as const
    for (const [queue, next] of ways) {
      const goOn = { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': next, 'x-message-ttl': 1 }
      await declareQueue(channel, { queue, arguments: toFieldTable(goOn) })
    }

    await rig.publish([{ key: 'way.first', body: 1 }])
    await eventually(async () => expect(await broker.depth('way.dlq')).toBe(1))
    const { items } = await get<MessagePage>(rig, '/api/v1/dlqs/way.dlq/messages')
    const { deaths } = await get<MessageDetail>(rig, `/api/v1/dlqs/way.dlq/messages/${items[0]!.key}`)

    expect(deaths.map(({ queue, reason }) => [queue, reason])).toEqual([
      ['way.first', 'expired'],
      ['way.second', 'expired'],
    ])
  })

  it('are grouped by cause and stay in their queue', async () => {
    const rig = await setup('caused.dlq', 6)

    const causes = await get<CauseList>(rig, '/api/v1/dlqs/caused.dlq/causes')

    expect(causes).toMatchObject({ present: 6, seen: 6, isWhole: true })
    expect(causes.causes.reduce((sum, { count }) => sum + count, 0)).toBe(6)
    expect(await broker.depth('caused.dlq')).toBe(6)
  })

  it('come page by page, each once and in order', async () => {
    const rig = await setup('paged.dlq', 7)

    const ids: (string | null)[] = []
    const areWhole = new Set<boolean>()
    let cursor: string | null = ''
    while (cursor !== null) {
      const query = cursor === '' ? '' : `&cursor=${cursor}`
      const page: MessagePage = await get(rig, `/api/v1/dlqs/paged.dlq/messages?limit=3${query}`)
      ids.push(...page.items.map(({ id }) => id))
      areWhole.add(page.isWhole)
      cursor = page.nextCursor
    }

    expect(ids).toEqual(['m-0', 'm-1', 'm-2', 'm-3', 'm-4', 'm-5', 'm-6'])
    expect([...areWhole]).toEqual([true])
  })

  it('that a filter names come page by page too', async () => {
    const rig = await setup('filtered.dlq', 7)
    const where = encodeURIComponent('type:Odd')

    const first = await get<MessagePage>(rig, `/api/v1/dlqs/filtered.dlq/messages?limit=2&where=${where}`)
    const rest = await get<MessagePage>(
      rig,
      `/api/v1/dlqs/filtered.dlq/messages?limit=2&where=${where}&cursor=${first.nextCursor}`,
    )

    expect(first.items.map(({ id }) => id)).toEqual(['m-1', 'm-3'])
    expect(rest.items.map(({ id }) => id)).toEqual(['m-5'])
    expect(rest.nextCursor).toBeNull()
  })

  it('show their headers with types and their body', async () => {
    const rig = await setup('shown.dlq', 2)
    const page = await get<MessagePage>(rig, '/api/v1/dlqs/shown.dlq/messages')

    const detail = await get<MessageDetail>(rig, `/api/v1/dlqs/shown.dlq/messages/${page.items[1]!.key}`)

    expect(detail.id).toBe('m-1')
    expect(detail.headers).toContainEqual({ name: 'big', type: 'l', value: String(2n ** 60n) })
    expect(detail.body).toEqual({ encoding: 'utf8', text: '{"at":1}', isCut: false, isMasked: false })
  })

  it('are unchanged for who has seen them, by their ETag', async () => {
    const rig = await setup('tagged.dlq', 1)
    const url = '/api/v1/dlqs/tagged.dlq/messages'
    const first = await rig.app.inject({ url, headers: { authorization } })

    const second = await rig.app.inject({
      url,
      headers: { authorization, 'if-none-match': String(first.headers.etag) },
    })

    expect(second.statusCode).toBe(304)
  })
})

describe('dead letters that cannot be held until all are seen', () => {
  const present = 3_000
  const impatient = { 'x-consumer-timeout': 1 }
  const inPart = { status: 503, code: 'RECOVERY_HELD_TOO_LONG' }

  it('are counted and planned in part, and both answers say so', async () => {
    const queue = 'hasty.dlq'
    const rig = await setup(queue, present, impatient)

    const { isWhole, seen, causes } = await get<CauseList>(rig, `/api/v1/dlqs/${queue}/causes`)
    const answer = await rig.app.inject({
      method: 'POST',
      url: '/api/v1/redrives/plan',
      headers: { authorization },
      payload: { queue },
    })

    expect([isWhole, seen]).toEqual([false, causes.reduce((sum, { count }) => sum + count, 0)])
    const plan = answer.json<RedrivePlan>()
    expect(plan).toMatchObject({ present, isWhole: false, moving: plan.seen })
    expect(plan.seen).toBeLessThan(present)
  })

  it('are neither told as gone nor as at their end', async () => {
    const queue = 'unseen.dlq'
    const rig = await setup(queue, present, impatient)
    const ask = (path: string) =>
      rig.app.inject({ url: `/api/v1/dlqs/${queue}/messages${path}`, headers: { authorization } })

    const one = await ask(`/${'0'.repeat(32)}`)
    const lastPage = await ask(`?limit=1&cursor=${(present - 1).toString(36)}`)

    expect(one.json()).toMatchObject(inPart)
    expect(one.json<{ detail: string }>().detail).toContain(
      `it is not known whether ${'0'.repeat(32)} is among`,
    )
    expect(lastPage.json()).toMatchObject(inPart)
  })
})

describe('a re-drive over HTTP', () => {
  it('of a queue that is not there is not found, and nothing is begun', async () => {
    const rig = await setUpApi(broker)
    const ask = (path: string) =>
      rig.app.inject({
        method: 'POST',
        url: `/api/v1/redrives${path}`,
        headers: { authorization },
        payload: { queue: 'nowhere.dlq' },
      })

    const answers = [await ask(''), await ask('/plan')]

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404])
    expect(answers[0]!.json()).toMatchObject({ code: 'API_NOT_FOUND' })
    const { items } = await get<{ items: Task[] }>(rig, '/api/v1/tasks')
    expect(items.filter(({ queue }) => queue === 'nowhere.dlq')).toEqual([])
  })

  it('is planned without moving a message', async () => {
    const rig = await setup('planned.dlq', 4)

    const answer = await rig.app.inject({
      method: 'POST',
      url: '/api/v1/redrives/plan',
      headers: { authorization },
      payload: { queue: 'planned.dlq', where: 'type:Even' },
    })

    expect(answer.json()).toMatchObject({
      present: 4,
      moving: 2,
      seen: 4,
      isWhole: true,
      keeping: [{ reason: 'not-selected', count: 2 }],
      targets: [{ target: 'planned.dlq.work', count: 2 }],
    })
    expect(await broker.depth('planned.dlq')).toBe(4)
  })

  it('runs as a task, tells its progress until the end, and leaves a balanced receipt', async () => {
    const rig = await setup('driven.dlq', 5)

    const task = await startRedrive(rig, { queue: 'driven.dlq', reason: 'the gateway is back' })
    const events = await rig.app.inject({
      url: `/api/v1/tasks/${task.id}/events`,
      headers: { authorization },
    })
    const receipt = await get<object>(rig, `/api/v1/tasks/${task.id}/receipt`)

    const last = events.body.trim().split('\n').at(-1)!.replace('data: ', '')
    expect(JSON.parse(last)).toMatchObject({ state: 'done', progress: { present: 5, moved: 5 } })
    expect(receipt).toMatchObject({
      moved: 5,
      isBalanced: true,
      by: broker.username,
      reason: 'the gateway is back',
    })
    await broker.expectDepths({ 'driven.dlq': 0, 'driven.dlq.work': 5 })
  })

  it('is paused, resumed and cancelled, and the rest stays where it is', async () => {
    const rig = await setup('steered.dlq', 20)
    const step = (id: string, name: string) =>
      rig.app.inject({ method: 'POST', url: `/api/v1/tasks/${id}/${name}`, headers: { authorization } })

    const { id } = await startRedrive(rig, { queue: 'steered.dlq', ratePerSecond: 1 })
    const paused = await step(id, 'pause')
    const resumed = await step(id, 'resume')
    const cancelled = await step(id, 'cancel')
    await rig.app.inject({ url: `/api/v1/tasks/${id}/events`, headers: { authorization } })
    const tooLate = await step(id, 'pause')

    expect([paused, resumed, cancelled].map((answer) => answer.json<Task>().state)).toEqual([
      'paused',
      'running',
      'cancelling',
    ])
    expect(tooLate.statusCode).toBe(409)
    expect(tooLate.json()).toMatchObject({ code: 'API_TASK_ENDED' })
    const { state, progress } = await get<Task>(rig, `/api/v1/tasks/${id}`)
    expect(state).toBe('cancelled')
    const { moved } = progress
    await broker.expectDepths({ 'steered.dlq': 20 - moved, 'steered.dlq.work': moved })
  })

  it('keeps its queue to itself while it runs', async () => {
    const rig = await setup('kept.dlq', 20)
    const { id } = await startRedrive(rig, { queue: 'kept.dlq', ratePerSecond: 1 })

    const second = await rig.app.inject({
      method: 'POST',
      url: '/api/v1/redrives',
      headers: { authorization },
      payload: { queue: 'kept.dlq' },
    })
    const look = await rig.app.inject({ url: '/api/v1/dlqs/kept.dlq/causes', headers: { authorization } })

    expect([second, look].map(({ statusCode }) => statusCode)).toEqual([409, 409])
    expect(look.json()).toMatchObject({ code: 'RECOVERY_LOCKED' })
    expect(look.json<{ detail: string }>().detail).toContain(id)
  })
})
