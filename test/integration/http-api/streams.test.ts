import { describe, expect, it, onTestFinished } from 'vitest'
import type { Problem, Task } from '../../../packages/cli/src/http-api/contract/contract.ts'
import { eventually } from '../../support/eventually.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { type ApiRig, deadLetterTo, setUpApi } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const { headers } = broker

async function setup(
  name: string,
  count: number,
  server: Record<string, unknown> = {},
): Promise<ApiRig & { readonly url: string; readonly queue: string }> {
  const rig = await setUpApi({ ...broker, server })
  const queue = `${namePerTry(name)}.dlq`
  await rig.declareDlq(queue)
  await rig.declareDlq(`${queue}.work`, deadLetterTo(queue))
  const message = { key: queue, body: 1, headers: { 'x-original-queue': `${queue}.work` } }
  await rig.publish(Array.from({ length: count }, () => message))
  return { ...rig, queue, url: await rig.listen() }
}

async function post<Body>(url: string, body?: object): Promise<Body> {
  const json = body && {
    body: JSON.stringify(body),
    headers: { ...headers, 'content-type': 'application/json' },
  }
  const answer = await fetch(url, { method: 'POST', headers, ...json })
  expect(answer.ok, `${answer.status}`).toBe(true)
  return (await answer.json()) as Body
}

/** The events of a task as a browser reads them, over a socket. */
async function watch(url: string, id: string, as: Record<string, string> = headers) {
  const leave = new AbortController()
  onTestFinished(() => leave.abort())
  const answer = await fetch(`${url}/api/v1/tasks/${id}/events`, { headers: as, signal: leave.signal })
  const events: Task[] = []
  const ended = (async () => {
    let rest = ''
    for await (const piece of answer.body!.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + piece).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const data = /^id: .+\nevent: task\ndata: (.*)$/.exec(block)?.[1]
        if (data !== undefined) events.push(JSON.parse(data) as Task)
      }
    }
  })()
  ended.catch(() => {}) // a test that fails before it waits for it ends it
  return { answer, events, ended, leave: () => leave.abort() }
}

describe('the progress of a task, over a socket,', () => {
  it('comes while it runs, changes with it, and ends with it', async () => {
    const { url, queue } = await setup('watched', 20)
    const { id } = await post<Task>(`${url}/api/v1/redrives`, { queue, ratePerSecond: 5 })

    const { answer, events, ended } = await watch(url, id)
    await eventually(() => expect(events.map(({ state }) => state)).toContain('running'))
    await post(`${url}/api/v1/tasks/${id}/pause`)
    await eventually(() => expect(events.at(-1)?.state).toBe('paused'))
    await post(`${url}/api/v1/tasks/${id}/cancel`)
    await ended

    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(events.at(-1)).toMatchObject({ id, state: 'cancelled' })
  })

  it('ends for who may not read it any more, and for nobody else', async () => {
    await broker.createAccount('vera', { tag: 'monitoring' })
    const account = { username: broker.nameOf('vera'), password: broker.nameOf('vera') }
    const { url, queue } = await setup('revoked', 20, { session: { recheck: '1s' } })
    const opened = await fetch(`${url}/api/v1/session`, {
      method: 'POST',
      body: JSON.stringify(account),
      headers: { 'content-type': 'application/json' },
    })
    const cookie = opened.headers.get('set-cookie')!.split(';')[0]!
    const { id } = await post<Task>(`${url}/api/v1/redrives`, { queue, ratePerSecond: 1 })
    await post(`${url}/api/v1/tasks/${id}/pause`)
    const [hers, others] = [await watch(url, id, { cookie }), await watch(url, id)]
    await eventually(() => expect(hers.events.at(-1)?.state).toBe('paused'))

    await broker.createAccount('vera', { tag: '' })
    await hers.ended
    await post(`${url}/api/v1/tasks/${id}/cancel`)
    await others.ended

    expect(hers.events.at(-1)?.state).toBe('paused')
    expect(others.events.at(-1)?.state).toBe('cancelled')
  })

  it('goes on for others when one of them leaves', async () => {
    const { url, queue } = await setup('left', 20)
    const { id } = await post<Task>(`${url}/api/v1/redrives`, { queue, ratePerSecond: 5 })
    const [one, other] = [await watch(url, id), await watch(url, id)]

    one.leave()
    await expect(one.ended).rejects.toThrow()
    await post(`${url}/api/v1/tasks/${id}/cancel`)
    await other.ended

    expect(other.events.at(-1)?.state).toBe('cancelled')
  })

  it('is closed by a server that stops, after the last word on the task', async () => {
    const { url, app, queue } = await setup('stopped', 20)
    const { id } = await post<Task>(`${url}/api/v1/redrives`, { queue, ratePerSecond: 5 })
    const { events, ended } = await watch(url, id)
    await eventually(() => expect(events.length).toBeGreaterThan(0))

    await Promise.all([app.close(), ended])

    expect(['cancelled', 'interrupted']).toContain(events.at(-1)?.state)
  })

  it('of a task that is not there is not found', async () => {
    const { url } = await setup('none', 0)

    const answer = await fetch(`${url}/api/v1/tasks/00000000-0000-4000-8000-000000000000/events`, { headers })

    expect(answer.status).toBe(404)
    expect(((await answer.json()) as Problem).code).toBe('API_NOT_FOUND')
  })
})

it('two hundred who poll and twenty who watch all get their answers, and the re-drive its receipt', async () => {
  const count = 2_000
  const { url, queue } = await setup('busy', count)
  const { id } = await post<Task>(`${url}/api/v1/redrives`, { queue, ratePerSecond: 2_000 })
  const streams = await Promise.all(Array.from({ length: 20 }, () => watch(url, id)))
  let isDone = false

  const statuses = new Set<number>()
  const lists = ['dlqs', 'tasks', 'history', `tasks/${id}`]
  const poll = async (at: number): Promise<number> => {
    let polls = 0
    do {
      const answer = await fetch(`${url}/api/v1/${lists[at % lists.length]}`, { headers })
      await answer.arrayBuffer()
      statuses.add(answer.status)
      polls += 1
    } while (!isDone)
    return polls
  }
  const pollers = Array.from({ length: 200 }, (_, at) => poll(at))
  for (const each of pollers) each.catch(() => {}) // a test that fails before it waits for them ends them
  await Promise.all(streams.map(({ ended }) => ended))
  isDone = true
  const polls = await Promise.all(pollers)
  const receipt = await fetch(`${url}/api/v1/tasks/${id}/receipt`, { headers })

  expect([...statuses]).toEqual([200])
  expect(Math.min(...polls)).toBeGreaterThan(0)
  expect(streams.map(({ events }) => events.at(-1)?.state)).toEqual(streams.map(() => 'done'))
  expect(await receipt.json()).toMatchObject({ present: count, moved: count, isBalanced: true })
  await broker.expectDepths({ [queue]: 0, [`${queue}.work`]: count })
})
