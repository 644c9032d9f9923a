import { describe, expect, it } from 'vitest'
import type { Task, TaskList } from '../../../packages/cli/src/http-api/contract/contract.ts'
import { eventually } from '../../support/eventually.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { type ApiRig, deadLetterTo, setUpApi } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const { headers } = broker

async function setup(name: string, count: number) {
  const [rig, other] = [await setUpApi(broker), await setUpApi(broker)]
  const own = namePerTry(name)
  const [dlq, work] = [`${own}.dlq`, `${own}.work`]
  await rig.declareDlq(dlq)
  await rig.declareDlq(work, deadLetterTo(dlq))
  const message = { key: dlq, body: 1, headers: { 'x-original-queue': work } }
  await rig.publish(Array.from({ length: count }, (_, at) => ({ ...message, messageId: `m-${at}` })))
  return { rig, other, dlq, work }
}

async function call<Body>({ app }: ApiRig, method: 'GET' | 'POST', url: string, payload?: object) {
  const answer = await app.inject({ method, url, headers, ...(payload && { payload }) })
  return { status: answer.statusCode, body: answer.json<Body>() }
}

async function show(rig: ApiRig, id: string): Promise<Task> {
  return (await call<Task>(rig, 'GET', `/api/v1/tasks/${id}`)).body
}

describe('a task', () => {
  it('is known to all servers, with its receipt', async () => {
    const { rig, other, dlq } = await setup('known', 5)

    const { body: task } = await call<Task>(rig, 'POST', '/api/v1/redrives', { queue: dlq })
    await eventually(async () => expect((await show(other, task.id)).state).toBe('done'))

    const path = `/api/v1/tasks/${task.id}/receipt`
    const [here, there] = [await call(rig, 'GET', path), await call(other, 'GET', path)]
    expect(there).toEqual(here)
    expect(there.body).toMatchObject({ moved: 5, isBalanced: true })
    expect((await show(other, task.id)).limit).toBeNull()
  })

  it('is known to a server that starts after it ended', async () => {
    const { rig, dlq } = await setup('later', 2)
    const { body: task } = await call<Task>(rig, 'POST', '/api/v1/redrives', { queue: dlq })
    await eventually(async () => expect((await show(rig, task.id)).state).toBe('done'))

    const late = await setUpApi(broker)

    expect(await show(late, task.id)).toEqual(await show(rig, task.id))
  })

  it('on a queue keeps other servers from starting a second one', async () => {
    const { rig, other, dlq } = await setup('once', 20)
    const request = { queue: dlq, ratePerSecond: 1 }

    const { body: task } = await call<Task>(rig, 'POST', '/api/v1/redrives', request)
    await eventually(async () => expect((await show(other, task.id)).state).toBe('running'))
    const second = await call<{ code: string; detail: string }>(other, 'POST', '/api/v1/redrives', request)

    expect(second).toMatchObject({ status: 409, body: { code: 'RECOVERY_LOCKED' } })
    expect(second.body.detail).toContain(task.id)
  })

  it('is paused, resumed and cancelled by any server', async () => {
    const { rig, other, dlq, work } = await setup('steered', 50)
    const { body: task } = await call<Task>(rig, 'POST', '/api/v1/redrives', { queue: dlq, ratePerSecond: 5 })
    await eventually(async () => expect((await show(other, task.id)).state).toBe('running'))
    const step = (name: string) => call<Task>(other, 'POST', `/api/v1/tasks/${task.id}/${name}`)

    const states = [await step('pause'), await step('resume'), await step('cancel')].map(
      ({ body }) => body.state,
    )
    await eventually(async () => expect((await show(rig, task.id)).state).toBe('cancelled'))

    expect(states.slice(0, 2)).toEqual(['paused', 'running'])
    await eventually(async () => expect((await broker.depth(dlq))! + (await broker.depth(work))!).toBe(50))
    expect(await step('resume')).toMatchObject({ status: 409, body: { code: 'API_TASK_ENDED' } })
  })

  it('of a server that is closed is interrupted with a receipt, and another server goes on with it', async () => {
    const { rig, other, dlq, work } = await setup('handed', 30)
    const request = { queue: dlq, ratePerSecond: 10 }
    const { body: task } = await call<Task>(rig, 'POST', '/api/v1/redrives', request)
    await eventually(async () => expect((await show(other, task.id)).progress.moved).toBeGreaterThan(0))

    await rig.app.close()
    const left = await eventually(async () => {
      const interrupted = await show(other, task.id)
      expect(interrupted.state).toBe('interrupted')
      return interrupted
    })
    const resumed = await call<Task>(other, 'POST', `/api/v1/tasks/${task.id}/resume`)
    await eventually(async () => expect((await show(other, task.id)).state).toBe('done'))

    expect(resumed.body).toMatchObject({ state: 'running', movedBefore: left.progress.moved })
    expect((await show(other, task.id)).progress).toEqual({ present: 30, moved: 30, failed: 0, kept: 0 })
    await broker.expectDepths({ [dlq]: 0, [work]: 30 })
  })

  it('that was limited moves no more than its limit, however many servers work on it', async () => {
    const { rig, other, dlq, work } = await setup('limited', 30)
    const request = { queue: dlq, ratePerSecond: 5, limit: 12 }
    const { body: task } = await call<Task>(rig, 'POST', '/api/v1/redrives', request)
    await eventually(async () => expect((await show(other, task.id)).progress.moved).toBeGreaterThan(0))

    await rig.app.close()
    await eventually(async () => expect((await show(other, task.id)).state).toBe('interrupted'))
    await call<Task>(other, 'POST', `/api/v1/tasks/${task.id}/resume`)
    await eventually(async () => expect((await show(other, task.id)).state).toBe('done'))

    await broker.expectDepths({ [dlq]: 18, [work]: 12 })
    expect([task.limit, (await show(other, task.id)).limit]).toEqual([12, 12])
  })

  it('that two servers take up at once is had by one of them', async () => {
    const { rig, other, dlq, work } = await setup('raced', 30)
    const third = await setUpApi(broker)
    const { body: task } = await call<Task>(rig, 'POST', '/api/v1/redrives', {
      queue: dlq,
      ratePerSecond: 10,
    })
    await eventually(async () => expect((await show(other, task.id)).progress.moved).toBeGreaterThan(0))
    await rig.app.close()
    const takers = [other, third]
    for (const each of takers)
      await eventually(async () => expect((await show(each, task.id)).state).toBe('interrupted'))

    const path = `/api/v1/tasks/${task.id}/resume`
    const answers = await Promise.all(takers.map((each) => call<Task>(each, 'POST', path)))
    for (const each of takers)
      await eventually(async () => expect((await show(each, task.id)).state).toBe('done'))

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    await broker.expectDepths({ [dlq]: 0, [work]: 30 })
    const [one, two] = await Promise.all(takers.map((each) => call<TaskList>(each, 'GET', '/api/v1/tasks')))
    expect(one!.body.items.find(({ id }) => id === task.id)).toEqual(
      two!.body.items.find(({ id }) => id === task.id),
    )
  })

  it('of a queue that is not there is not begun', async () => {
    const { rig } = await setup('absent', 0)

    const answer = await call(rig, 'POST', '/api/v1/redrives', { queue: 'nowhere.dlq' })

    expect(answer).toMatchObject({ status: 404, body: { code: 'API_NOT_FOUND' } })
  })
})
