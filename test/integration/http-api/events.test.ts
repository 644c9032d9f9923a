import { describe, expect, it } from 'vitest'
import { createToken } from '../../../packages/cli/src/http-api/auth/stored-token.ts'
import type { Dlq, ListChange, Problem, Task } from '../../../packages/cli/src/http-api/contract/contract.ts'
import { eventually } from '../../support/eventually.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { type ApiRig, deadLetterTo, setUpApi } from './api-rig.ts'
import { type EventConnection, openEventSource, readEvents } from './event-source.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const { headers } = broker

interface Served extends ApiRig {
  readonly url: string
}

async function serve(server: Record<string, unknown> = {}): Promise<Served> {
  const rig = await setUpApi({ ...broker, server })
  return { ...rig, url: await rig.listen() }
}

async function fill(rig: ApiRig, name: string, count: number): Promise<string> {
  const queue = `${namePerTry(name)}.dlq`
  await rig.declareDlq(queue)
  await rig.declareDlq(`${queue}.work`, deadLetterTo(queue))
  const message = { key: queue, body: 1, headers: { 'x-original-queue': `${queue}.work` } }
  await rig.publish(Array.from({ length: count }, () => message))
  return queue
}

async function post<Body>({ app }: ApiRig, path: string, payload: object = {}): Promise<Body> {
  const answer = await app.inject({ method: 'POST', url: `/api/v1/${path}`, headers, payload })
  expect(answer.statusCode, answer.body).toBeLessThan(300)
  return answer.json<Body>()
}

async function redrive(rig: ApiRig, queue: string): Promise<Task> {
  const task = await post<Task>(rig, 'redrives', { queue })
  return eventually(async () => {
    const now = (await rig.app.inject({ url: `/api/v1/tasks/${task.id}`, headers })).json<Task>()
    expect(now.state).toBe('done')
    return now
  })
}

const watch = ({ url }: Served, query = '', more: Record<string, string> = {}) =>
  readEvents(`${url}/api/v1/events${query}`, { ...headers, ...more })

/** What a console has of a topic after all that it was told. */
function shown<Item extends object>(events: EventConnection['events'], topic: string): Map<string, Item> {
  const items = new Map<string, Item>()
  for (const { name, data } of events) {
    const change = data as ListChange<Item>
    if (name !== topic) continue
    if (change.isWhole) items.clear()
    for (const gone of change.gone) items.delete(gone)
    for (const item of change.items)
      items.set(String('id' in item ? item.id : (item as unknown as Dlq).queue), item)
  }
  return items
}

const told = (events: EventConnection['events']) =>
  events.map(({ name, data }) => `${name} ${(data as ListChange<unknown>).isWhole ? 'whole' : 'change'}`)

describe('one stream for all lists of a page', () => {
  it('begins with each list as a whole and how long to wait, and goes on with what changes', async () => {
    const rig = await serve()
    const queue = await fill(rig, 'told', 3)
    const before = await redrive(rig, await fill(rig, 'before', 1))

    const stream = await watch(rig, '?topics=tasks,approvals,dlqs,queues,backups')
    await eventually(() => expect(new Set(told(stream.events)).size).toBeGreaterThanOrEqual(5))
    const first = [...stream.events]
    const task = await redrive(rig, queue)
    await eventually(() => expect(shown<Task>(stream.events, 'tasks').get(task.id)).toEqual(task))
    await eventually(() => expect(shown<Dlq>(stream.events, 'dlqs').get(queue)?.messages).toBe(0))

    expect(stream.answer.headers.get('content-type')).toBe('text/event-stream')
    expect(stream.retryMs()).toBe(2_000)
    expect(stream.events.every(({ id }) => id !== '')).toBe(true)
    expect(new Set(first.map(({ name }) => name))).toEqual(
      new Set(['tasks', 'approvals', 'dlqs', 'queues', 'backups']),
    )
    const [whole, ...changes] = stream.events.filter(({ name }) => name === 'tasks')
    expect(whole!.data).toMatchObject({ isWhole: true })
    expect(shown<Task>([whole!], 'tasks').get(before.id)).toEqual(before)
    for (const { data } of changes) {
      expect((data as ListChange<Task>).isWhole).toBe(false)
      expect((data as ListChange<Task>).items.map(({ id }) => id)).toEqual([task.id])
    }
  })

  it('tells who comes back only what has changed, and nothing twice', async () => {
    const rig = await serve()
    const [first, second] = [await fill(rig, 'first', 1), await fill(rig, 'second', 1)]
    await redrive(rig, first)
    const stream = await watch(rig, '?topics=tasks')
    await eventually(() => expect(stream.events.length).toBe(1))
    stream.leave()

    const missed = await redrive(rig, second)
    const back = await watch(rig, '?topics=tasks', { 'last-event-id': stream.events.at(-1)!.id })
    await eventually(() => expect(back.events.length).toBeGreaterThan(0))
    back.leave()
    const again = await watch(rig, '?topics=tasks', { 'last-event-id': back.events.at(-1)!.id })
    const late = await redrive(rig, await fill(rig, 'late', 1))
    await eventually(() => expect(shown<Task>(again.events, 'tasks').get(late.id)).toEqual(late))

    expect(told(back.events)).toEqual(['tasks change'])
    expect((back.events[0]!.data as ListChange<Task>).items).toEqual([missed])
    expect([...shown<Task>(again.events, 'tasks').keys()]).toEqual([late.id])
  })

  it('knows on another server what was told, and tells all where it does not', async () => {
    const [one, other] = [await serve(), await serve()]
    const before = await redrive(one, await fill(one, 'before', 1))
    const stream = await watch(one, '?topics=tasks')
    await eventually(() => expect(shown<Task>(stream.events, 'tasks').get(before.id)).toEqual(before))
    stream.leave()
    const isKnown = async () =>
      (await other.app.inject({ url: `/api/v1/tasks/${before.id}`, headers })).json<Task>().state === 'done'
    await eventually(isKnown)

    const same = await watch(other, '?topics=tasks', { 'last-event-id': stream.events.at(-1)!.id })
    const late = await redrive(one, await fill(one, 'late', 1))
    await eventually(() => expect(shown<Task>(same.events, 'tasks').get(late.id)).toEqual(late))
    const lost = await watch(other, '?topics=tasks', { 'last-event-id': 'tasks:of-long-ago' })
    await eventually(() => expect(lost.events.length).toBe(1))

    expect(told(same.events)).not.toContain('tasks whole')
    expect([...shown<Task>(same.events, 'tasks').keys()]).toEqual([late.id])
    expect(told(lost.events)).toEqual(['tasks whole'])
    expect([...shown<Task>(lost.events, 'tasks').values()]).toEqual(expect.arrayContaining([before, late]))
  })

  it('goes on for a browser when its server stops, on another one and without an event twice', async () => {
    const [one, other] = [await serve(), await serve()]
    let server = one
    const before = await redrive(one, await fill(one, 'moved', 1))
    const browser = openEventSource(() => `${server.url}/api/v1/events?topics=tasks`, headers)
    await eventually(() => expect(shown<Task>(browser.events, 'tasks').get(before.id)).toEqual(before))

    server = other
    await one.app.close()
    const after = await redrive(other, await fill(other, 'after', 1))
    await eventually(() => expect(shown<Task>(browser.events, 'tasks').get(after.id)).toEqual(after))

    expect(browser.statuses).toEqual([200, 200])
    const states = browser.events.map(({ data }) => JSON.stringify(data))
    expect(new Set(states).size).toBe(states.length)
  })

  it('shows nobody the queues of others', async () => {
    const rig = await serve()
    await broker.createAccount('lea', { tag: 'administrator', read: '^open' })
    const [open, closed] = [await fill(rig, 'open', 1), await fill(rig, 'closed', 1)]
    const [seen, hidden] = [await redrive(rig, open), await redrive(rig, closed)]

    const [hers, ours] = [await watch(rig, '?topics=tasks,dlqs,queues', broker.as('lea')), await watch(rig)]
    await eventually(() => expect(new Set(told(hers.events)).size).toBeGreaterThanOrEqual(3))
    await eventually(() => expect(shown<Task>(ours.events, 'tasks').has(hidden.id)).toBe(true))

    expect(shown<Task>(hers.events, 'tasks').has(seen.id)).toBe(true)
    expect(JSON.stringify(hers.events)).not.toContain(closed)
  })

  it('ends for who may not read it any more, who is then told so and comes back no more', async () => {
    await broker.createAccount('vera', { tag: 'monitoring' })
    const account = { username: broker.nameOf('vera'), password: broker.nameOf('vera') }
    const rig = await serve({ session: { recheck: '1s' } })
    const opened = await rig.app.inject({ method: 'POST', url: '/api/v1/session', payload: account })
    const cookie = String(opened.headers['set-cookie']).split(';')[0]!
    const [hers, ours] = [openEventSource(() => `${rig.url}/api/v1/events`, { cookie }), await watch(rig)]
    await eventually(() => expect(hers.events.length).toBeGreaterThan(0))

    await broker.createAccount('vera', { tag: '' })
    await hers.closed
    const task = await redrive(rig, await fill(rig, 'unseen', 1))
    await eventually(() => expect(shown<Task>(ours.events, 'tasks').get(task.id)).toEqual(task))

    expect([hers.statuses.at(0), hers.statuses.at(-1)]).toEqual([200, 401])
    expect(JSON.stringify(hers.events)).not.toContain(task.id)
  })

  it('is another one for who may see more or less than before', async () => {
    await broker.createAccount('nora', { tag: 'monitoring' })
    const account = { username: broker.nameOf('nora'), password: broker.nameOf('nora') }
    const rig = await serve({ session: { recheck: '1s' } })
    const queue = await fill(rig, 'narrowed', 1)
    const opened = await rig.app.inject({ method: 'POST', url: '/api/v1/session', payload: account })
    const cookie = String(opened.headers['set-cookie']).split(';')[0]!
    const hers = openEventSource(() => `${rig.url}/api/v1/events?topics=dlqs`, { cookie })
    await eventually(() => expect(shown(hers.events, 'dlqs').has(queue)).toBe(true))

    await broker.createAccount('nora', { tag: 'monitoring', read: '^nothing' })

    await eventually(() => expect(shown(hers.events, 'dlqs').size).toBe(0))
  })

  it('has room for so many of one caller, and not for more', async () => {
    const rig = await serve()
    const streams = await Promise.all(Array.from({ length: 50 }, () => watch(rig)))
    await eventually(() => expect(streams.every(({ events }) => events.length > 0)).toBe(true))

    const refused = await watch(rig)
    streams[0]!.leave()
    await eventually(async () => expect((await watch(rig)).answer.status).toBe(200))

    expect([streams.at(-1)!.answer.status, refused.answer.status]).toEqual([200, 503])
  })

  it('has room for operators and admins, however many viewers there are', async () => {
    const viewers = [1, 2, 3, 4].map((at) => ({ name: `viewer ${at}`, role: 'viewer', ...createToken() }))
    const tokens = viewers.map(({ name, role, hash }) => ({ name, role, hash }))
    // They could have all requests at once, too: a stream is one for as long as it is open.
    const rig = await serve({ auth: { tokens }, limits: { requests: 20 } })
    const theirs = viewers.map(({ token }) => ({ authorization: `Bearer ${token}` }))

    const streams = await Promise.all(
      theirs.flatMap((each) => Array.from({ length: 8 }, () => watch(rig, '', each))),
    )
    const ours = await watch(rig)
    const list = await fetch(`${rig.url}/api/v1/dlqs`, { headers })

    const open = streams.filter(({ answer }) => answer.status === 200)
    expect([open.length, ours.answer.status, list.status]).toEqual([12, 200, 200])
  })

  it('answers HEAD without being one, and tells which topics there are', async () => {
    const rig = await serve()
    await broker.createAccount('olga', { tag: 'monitoring' })

    const head = await fetch(`${rig.url}/api/v1/events`, { method: 'HEAD', headers })
    const ask = async (topics: string, as = headers) =>
      (await rig.app.inject({ url: `/api/v1/events?topics=${topics}`, headers: as })).json<Problem>()

    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    expect(await ask('task')).toMatchObject({
      status: 400,
      detail: expect.stringMatching(/^query\.topics\.0 must be "tasks" or "approvals" or/),
    })
    expect(await ask('tasks,backups', broker.as('olga'))).toMatchObject({
      status: 403,
      detail: expect.stringContaining('dlq:backup'),
    })
  })
})

describe('the progress of a task, to a browser,', () => {
  it('ends with the task, and the browser is told not to come back', async () => {
    const rig = await serve()
    const { id } = await post<Task>(rig, 'redrives', { queue: await fill(rig, 'ended', 5), ratePerSecond: 5 })

    const browser = openEventSource(() => `${rig.url}/api/v1/tasks/${id}/events`, headers)
    await browser.closed

    expect(browser.statuses).toEqual([200, 204])
    expect(browser.events.at(-1)!.data).toMatchObject({ id, state: 'done' })
    const ids = browser.events.map((event) => event.id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('goes on where another server takes over, and the end is told once', async () => {
    const [one, other] = [await serve(), await serve()]
    let server = one
    const queue = await fill(one, 'taken', 20)
    const { id } = await post<Task>(one, 'redrives', { queue, ratePerSecond: 5 })
    const browser = openEventSource(() => `${server.url}/api/v1/tasks/${id}/events`, headers)
    const states = () => browser.events.map(({ data }) => (data as Task).state)
    await eventually(() => expect(states()).toContain('running'))

    server = other
    await one.app.close()
    await eventually(async () => {
      const now = await other.app.inject({ url: `/api/v1/tasks/${id}`, headers })
      expect(now.json<Task>().state).toBe('interrupted')
    })
    await browser.closed

    expect(browser.statuses.at(-1)).toBe(204)
    expect(states().filter((state) => state === 'interrupted')).toHaveLength(1)
  })
})
