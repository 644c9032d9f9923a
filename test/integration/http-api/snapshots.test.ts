import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createToken } from '../../../packages/cli/src/http-api/auth/stored-token.ts'
import type {
  AuditPage,
  CauseList,
  Dlq,
  DlqList,
  MessagePage,
  Problem,
  ShownMessage,
  Snapshot,
  SnapshotCauses,
  SnapshotFacets,
  SnapshotHistogram,
  SnapshotList,
  SnapshotMessageDetail,
  SnapshotPage,
} from '../../../packages/cli/src/http-api/contract/contract.ts'
import { Publisher } from '../../../packages/warrenmq/src/publisher/publisher.ts'
import { takeLock } from '../../../packages/warrenmq/src/recovery/lock/take-lock.ts'
import { eventually } from '../../support/eventually.ts'
import { publishUnnamed } from '../../support/publish-unnamed.ts'
import { type ApiRig, deadLetterTo, setUpApi } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const people = { olga: 'policymaker', vera: 'monitoring', vic: 'monitoring' }
beforeAll(async () => {
  for (const [name, tag] of Object.entries(people)) await broker.createAccount(name, { tag })
})

const failedAt = (at: number): string => new Date(Date.UTC(2030, 0, 31, 12, 0, at)).toISOString()

async function setup(
  queue: string,
  { count, server = {}, bodyBytes = 0 }: { count: number; server?: object; bodyBytes?: number },
): Promise<ApiRig & { readonly folder: string; readonly path: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'warren-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const { snapshots, ...others } = server as { snapshots?: object }
  const rig = await setUpApi({ ...broker, server: { ...others, snapshots: { folder, ...snapshots } } })
  await rig.declareDlq(queue)
  await rig.declareDlq(`${queue}.work`, deadLetterTo(queue))
  await rig.publish(
    Array.from({ length: count }, (_, at) => ({
      key: queue,
      body: { at, card: '4111', pad: 'x'.repeat(bodyBytes) },
      messageId: `m-${at}`,
      type: at % 2 === 0 ? 'Even' : 'Odd',
      headers: {
        'x-original-queue': `${queue}.work`,
        'x-final-error': at % 3 === 0 ? 'Timeout' : 'Refused',
        'warren-last-failed-at': failedAt(at),
        tenant: at % 10 === 0 ? 'acme' : 'other',
      },
    })),
  )
  return { ...rig, folder, path: `/api/v1/dlqs/${queue}/snapshots` }
}

type Headers = Record<string, string>

async function ask<Body>(
  { app }: ApiRig,
  url: string,
  { headers = broker.headers as Headers, status = 200 } = {},
): Promise<Body> {
  const answer = await app.inject({ url, headers })
  expect(answer.statusCode, answer.body).toBe(status)
  return answer.json<Body>()
}

async function make(
  { app, path }: ApiRig & { path: string },
  {
    where,
    headers = broker.headers as Headers,
    status = 202,
  }: { where?: string; headers?: Headers; status?: number } = {},
): Promise<Snapshot> {
  const answer = await app.inject({ method: 'POST', url: path, headers, payload: where ? { where } : {} })
  expect(answer.statusCode, answer.body).toBe(status)
  return answer.json<Snapshot>()
}

async function whenDone(rig: ApiRig & { path: string }, { id }: Snapshot): Promise<Snapshot> {
  return eventually(async () => {
    const snapshot = await ask<Snapshot>(rig, `${rig.path}/${id}`)
    expect(snapshot.state, JSON.stringify(snapshot.problem)).toBe('done')
    return snapshot
  })
}

describe('a snapshot', () => {
  it('costs one look however many messages are opened, and leaves depth and order as they were', async () => {
    const rig = await setup('one-look.dlq', { count: 100 })

    const snapshot = await whenDone(rig, await make(rig))
    const page = await ask<SnapshotPage>(rig, `${rig.path}/${snapshot.id}/messages?limit=500`)
    for (const { key, position } of page.items) {
      const message = await ask<SnapshotMessageDetail>(rig, `${rig.path}/${snapshot.id}/messages/${key}`)
      expect(message).toMatchObject({ position, asOf: snapshot.asOf, id: `m-${position}`, sameContent: 0 })
      expect(JSON.parse(message.body!.text)).toMatchObject({ at: position })
    }

    expect(snapshot).toMatchObject({
      isWhole: true,
      messages: 100,
      progress: { present: 100, seen: 100 },
      where: null,
      problem: null,
      since: { messages: 100, change: 0 },
    })
    expect(page).toMatchObject({ matched: 100, search: { seen: 100, isWhole: true }, nextCursor: null })
    const left = await broker.peek('one-look.dlq')
    expect(left.map(({ properties }) => properties.messageId)).toEqual(page.items.map(({ id }) => id))
    const counts = left.map(({ headers }) => headers['x-acquired-count'] ?? headers['x-delivery-count'])
    expect(new Set(counts.map(Number))).toEqual(new Set([1]))
  })

  it('has the same messages under the same keys as the queue', async () => {
    const rig = await setup('same.dlq', { count: 30 })
    const fromQueue = await ask<MessagePage>(rig, '/api/v1/dlqs/same.dlq/messages')

    const { id } = await whenDone(rig, await make(rig))
    const page = await ask<SnapshotPage>(rig, `${rig.path}/${id}/messages`)

    expect(page.items).toEqual(fromQueue.items.map((item, position) => ({ position, ...item })))
  })

  it('is read page by page, in any order, by any filter', async () => {
    const rig = await setup('pages.dlq', { count: 60 })
    const { id } = await whenDone(rig, await make(rig))
    const pageOf = (query: string) => ask<SnapshotPage>(rig, `${rig.path}/${id}/messages?${query}`)

    const first = await pageOf('limit=40&sort=-diedAt')
    const second = await pageOf(`limit=40&sort=-diedAt&cursor=${first.nextCursor}`)
    const byIndex = await pageOf('where=type:Even and cause:Timeout&limit=3')
    const byHeader = await pageOf('where=header.tenant:acme and not type:Odd')
    const byBody = await pageOf('where=body.at>57')
    const byAge = await pageOf('where=died<1h')

    const positions = [...first.items, ...second.items].map(({ position }) => position)
    expect(positions).toEqual(Array.from({ length: 60 }, (_, at) => 59 - at))
    expect(second.nextCursor).toBeNull()
    expect(byIndex).toMatchObject({
      matched: 10,
      items: [{ position: 0 }, { position: 6 }, { position: 12 }],
    })
    expect(byHeader).toMatchObject({ matched: 6, search: { seen: 60, isWhole: true } })
    expect(byBody.items.map(({ position }) => position)).toEqual([58, 59])
    expect(byAge.matched).toBe(60) // of the future, so that they died less than an hour before
  })

  it('counts causes, values and times', async () => {
    const rig = await setup('counted.dlq', { count: 60 })
    const { id } = await whenDone(rig, await make(rig))

    const { causes } = await ask<SnapshotCauses>(rig, `${rig.path}/${id}/causes`)
    const { facets } = await ask<SnapshotFacets>(rig, `${rig.path}/${id}/facets?where=type:Even`)
    const histogram = await ask<SnapshotHistogram>(rig, `${rig.path}/${id}/histogram?bars=6`)

    expect(causes).toMatchObject([
      { label: expect.stringContaining('Refused'), count: 40, first: failedAt(1), last: failedAt(59) },
      { label: expect.stringContaining('Timeout'), count: 20, first: failedAt(0), last: failedAt(57) },
    ])
    expect(facets.find(({ field }) => field === 'queue')).toEqual({
      field: 'queue',
      name: null,
      distinct: 1,
      values: [{ value: 'counted.dlq.work', label: null, count: 30 }],
    })
    expect(histogram).toMatchObject({ bucketMs: 10_000, undated: 0 })
    expect(histogram.bars.map(({ count }) => count)).toEqual([10, 10, 10, 10, 10, 10])
  })

  it('holds what its filter selects, and an empty queue makes an empty one', async () => {
    const rig = await setup('some.dlq', { count: 20 })
    const { id } = await whenDone(rig, await make(rig, { where: 'type:Even' }))
    const page = await ask<SnapshotPage>(rig, `${rig.path}/${id}/messages`)
    const empty = await setup('empty.dlq', { count: 0 })
    const none = await whenDone(empty, await make(empty))

    expect(page).toMatchObject({ messages: 10, matched: 10 })
    expect(none).toMatchObject({ messages: 0, isWhole: true })
    const nothing = await ask<SnapshotPage>(
      empty,
      `${empty.path}/${none.id}/messages?where=type:x&sort=diedAt`,
    )
    expect(nothing).toMatchObject({ items: [], nextCursor: null })
    const { bars } = await ask<SnapshotHistogram>(empty, `${empty.path}/${none.id}/histogram`)
    expect(bars).toEqual([])
  })

  it('counts messages with the same content, and tells how the queue has changed since', async () => {
    const rig = await setup('alike.dlq', { count: 0 })
    const publisher = new Publisher(rig.publishing)
    const publish = () => publishUnnamed(publisher, { key: 'alike.dlq', body: 'the same', headers: {} })
    for (let published = 0; published < 3; published += 1) await publish()
    const { id } = await whenDone(rig, await make(rig))
    await publish()
    await publisher.close()

    const { items } = await ask<SnapshotPage>(rig, `${rig.path}/${id}/messages`)
    const message = await ask<SnapshotMessageDetail>(rig, `${rig.path}/${id}/messages/${items[2]!.key}`)

    expect(new Set(items.map(({ key }) => key)).size).toBe(1)
    expect(message).toMatchObject({ id: null, position: 0, sameContent: 2 })
    await eventually(async () => {
      const { since } = await ask<Snapshot>(rig, `${rig.path}/${id}`)
      expect(since).toMatchObject({ messages: 4, change: 1 })
    })
  })
})

describe('the endpoints that look at a queue', () => {
  it('read a snapshot when they are asked for one, and say as of when', async () => {
    const rig = await setup('either.dlq', { count: 12 })
    const base = '/api/v1/dlqs/either.dlq'
    const { id, asOf } = await whenDone(rig, await make(rig))
    const ofQueue = await ask<CauseList>(rig, `${base}/causes`)
    const pageOfQueue = await ask<MessagePage>(rig, `${base}/messages?where=type:Even&limit=4`)
    const url = `${base}/messages/${pageOfQueue.items[0]!.key}`
    const messageOfQueue = await ask<ShownMessage>(rig, url)
    await rig.publish([{ key: 'either.dlq', body: 'later' }])

    const causes = await ask<CauseList>(rig, `${base}/causes?snapshot=${id}`)
    const page = await ask<MessagePage>(rig, `${base}/messages?where=type:Even&limit=4&snapshot=${id}`)
    const next = await ask<MessagePage>(
      ...[rig, `${base}/messages?where=type:Even&limit=4&snapshot=${id}&cursor=${page.nextCursor}`],
    )
    const message = await ask<ShownMessage>(rig, `${url}?snapshot=${id}`)

    expect(ofQueue.asOf).toBeNull()
    expect(causes).toEqual({ ...ofQueue, asOf })
    expect(page).toEqual({ ...pageOfQueue, asOf, nextCursor: page.nextCursor })
    expect(next.items).toHaveLength(2)
    // Deliveries are counted among the headers, and the queue sorts them meanwhile.
    expect({ ...message, headers: [] }).toEqual({ ...messageOfQueue, asOf, headers: [] })
    expect(message.headers).toHaveLength(4)
    await ask(rig, `${base}/causes?snapshot=${id}&groupBy=type`, { status: 400 })
    await ask(rig, `${base}/causes?snapshot=gone.${'0'.repeat(8)}.${'0'.repeat(16)}`, { status: 409 })
  })

  it('tell in the list of queues since when and of what most messages are dead', async () => {
    const rig = await setup('home.dlq', { count: 9 })
    const find = async (): Promise<Dlq> => {
      const { items } = await ask<DlqList>(rig, '/api/v1/dlqs')
      return items.find(({ queue }) => queue === 'home.dlq')!
    }
    const before = await find()

    const { asOf } = await whenDone(rig, await make(rig))

    expect(before).toMatchObject({ messages: 9, total: 9, oldestDeath: null, mainCause: null })
    await eventually(async () =>
      expect(await find()).toMatchObject({
        messages: 9,
        total: 9,
        oldestDeath: failedAt(0),
        mainCause: { label: expect.stringContaining('Refused'), count: 6, asOf },
      }),
    )
  })
})

describe('who asks for a snapshot', () => {
  it('shares the one that is being made, and waits where it is of other messages', async () => {
    const rig = await setup('shared.dlq', { count: 2_000 })

    const [one, other, filtered] = await Promise.all([
      make(rig),
      make(rig, { headers: broker.as('olga') }),
      rig.app.inject({ method: 'POST', url: rig.path, headers: broker.headers, payload: { where: 'x' } }),
    ])

    expect(other.id).toBe(one.id)
    expect(filtered.json<Problem>()).toMatchObject({ status: 409, code: 'RECOVERY_LOCKED' })
    await whenDone(rig, one)
    const { items } = await ask<SnapshotList>(rig, rig.path)
    expect(items).toHaveLength(1)
  })

  it('is one of two that a person may have made at once, and others are not kept waiting', async () => {
    const rig = await setup('greedy.dlq', { count: 500 })
    const queues = ['greedy.dlq', 'greedy-2.dlq', 'greedy-3.dlq']
    for (const queue of queues.slice(1)) {
      await rig.declareDlq(queue)
      await rig.declareDlq(`${queue}.work`, deadLetterTo(queue))
      await rig.publish(Array.from({ length: 500 }, (_, at) => ({ key: queue, body: { at } })))
    }
    const post = (queue: string, name: string) =>
      rig.app.inject({
        method: 'POST',
        url: `/api/v1/dlqs/${queue}/snapshots`,
        headers: broker.as(name),
        payload: {},
      })

    const answers = await Promise.all(queues.map((queue) => post(queue, 'vera')))
    const refusedAt = answers.findIndex(({ statusCode }) => statusCode === 409)
    const others = await post(queues[refusedAt] ?? '', 'vic')

    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([202, 202, 409])
    expect(answers[refusedAt]?.json<Problem>()).toMatchObject({ code: 'API_SNAPSHOT_NO_ROOM' })
    expect(others.statusCode, others.body).toBe(202)
  })

  it('is refused as a look is, and nothing is left of it', async () => {
    const rig = await setup('locked.dlq', { count: 1 })
    const { publishing: session } = rig
    const lock = await takeLock({
      session,
      queue: 'locked.dlq',
      holder: 'somebody else',
      vhost: session.vhost,
    })

    const refused = await make(rig, { status: 409 })
    await lock.release()

    expect(refused).toMatchObject({ code: 'RECOVERY_LOCKED' })
    expect(await ask<SnapshotList>(rig, rig.path)).toMatchObject({ items: [] })
    await whenDone(rig, await make(rig))
  })

  it('is written down', async () => {
    const rig = await setup('noted.dlq', { count: 1 })
    const snapshot = await make(rig)
    await whenDone(rig, snapshot)

    const { items } = await ask<AuditPage>(rig, '/api/v1/audit?limit=10')

    expect(items).toContainEqual(expect.objectContaining({ action: 'snapshot', target: 'noted.dlq' }))
  })
})

describe('the end of a snapshot', () => {
  it('comes with a cancel: what was held is back, in its order', async () => {
    const rig = await setup('cancelled.dlq', { count: 10_000 })
    const { id } = await make(rig)

    const erased = await rig.app.inject({
      method: 'DELETE',
      url: `${rig.path}/${id}`,
      headers: broker.headers,
    })

    expect(erased.statusCode, erased.body).toBe(204)
    await ask(rig, `${rig.path}/${id}`, { status: 404 })
    const next = await whenDone(rig, await make(rig))
    expect(next).toMatchObject({ messages: 10_000, isWhole: true })
    for (const start of [0, 500, 4_000, 9_500]) {
      const url = `${rig.path}/${next.id}/messages?limit=500&cursor=${start.toString(36)}`
      const { items } = await ask<SnapshotPage>(rig, url)
      expect(items.map((item) => item.id)).toEqual(items.map((_, at) => `m-${start + at}`))
    }
  })

  it('comes by itself when it is old enough', async () => {
    const rig = await setup('old.dlq', { count: 1, server: { snapshots: { age: '1s' } } })
    const { id } = await make(rig)

    await eventually(() => ask(rig, `${rig.path}/${id}`, { status: 404 }))

    expect(await ask<SnapshotList>(rig, rig.path)).toMatchObject({ items: [] })
  })

  it('comes for the oldest when there are too many', async () => {
    const rig = await setup('many.dlq', { count: 1, server: { snapshots: { number: 2 } } })

    const ids: string[] = []
    for (let made = 0; made < 3; made += 1) ids.push((await whenDone(rig, await make(rig))).id)

    const { items } = await ask<SnapshotList>(rig, rig.path)
    expect(items.map(({ id }) => id)).toEqual([ids[2], ids[1]])
  })

  it('comes for those of the caller who needs the room before it comes for others', async () => {
    const rig = await setup('shared.dlq', { count: 1, server: { snapshots: { number: 2 } } })
    const madeBy = async (name: string): Promise<string> =>
      (await whenDone(rig, await make(rig, { headers: broker.as(name) }))).id

    const [first] = [await madeBy('vera'), await madeBy('vic')]
    const last = await madeBy('vic')

    const { items } = await ask<SnapshotList>(rig, rig.path)
    expect(items.map(({ id }) => id)).toEqual([last, first])
  })

  it.each([
    ['many messages', { count: 1_500, bodyBytes: 2_000 }],
    ['a few large messages', { count: 20, bodyBytes: 200_000 }],
  ])('comes for one of %s that takes too much room, and says so', async (_, { count, bodyBytes }) => {
    const rig = await setup('large.dlq', {
      count,
      bodyBytes,
      server: { snapshots: { bytes: 1024 * 1024 } },
    })

    const { id } = await make(rig)

    const failed = await eventually(async () => {
      const snapshot = await ask<Snapshot>(rig, `${rig.path}/${id}`)
      expect(snapshot.state).toBe('failed')
      return snapshot
    })
    expect(failed).toMatchObject({ messages: 0, bytes: 0, problem: { code: 'API_SNAPSHOT_NO_ROOM' } })
    expect(await ask<Problem>(rig, `${rig.path}/${id}/messages`, { status: 409 })).toMatchObject({
      code: 'API_TASK_ENDED',
    })
    await broker.expectDepths({ 'large.dlq': count })
  })

  it('leaves no file behind: it has no name from the beginning, in a folder that is closed to others', async () => {
    const rig = await setup('nameless.dlq', { count: 10 })
    rmSync(rig.folder, { recursive: true })

    const { id } = await whenDone(rig, await make(rig))

    expect(await ask<SnapshotPage>(rig, `${rig.path}/${id}/messages`)).toMatchObject({ matched: 10 })
    expect(statSync(rig.folder).mode & 0o777).toBe(0o700)
    expect(readdirSync(rig.folder)).toEqual([])
  })

  it('is told as such by another server, with the name of the host that has it', async () => {
    const rig = await setup('elsewhere.dlq', { count: 1 })
    const other = await setUpApi(broker)
    const { id, host } = await whenDone(rig, await make(rig))

    const problem = await ask<Problem>(other, `${rig.path}/${id}`, { status: 409 })

    expect(problem).toMatchObject({ code: 'API_SNAPSHOT_ELSEWHERE', detail: expect.stringContaining(host) })
    await ask(rig, `/api/v1/dlqs/elsewhere.dlq.work/snapshots/${id}`, { status: 404 })
  })
})

describe('what a caller may not see', () => {
  const hidden = { payloads: { hideFrom: ['viewer'] } }

  it('does not leave through a snapshot', async () => {
    const rig = await setup('hidden.dlq', { count: 3, server: hidden })
    const vera = broker.as('vera')
    const { id } = await whenDone(rig, await make(rig, { headers: vera }))

    const page = await ask<SnapshotPage>(rig, `${rig.path}/${id}/messages`, { headers: vera })
    const url = `${rig.path}/${id}/messages/${page.items[0]!.key}`
    const forVera = await ask<SnapshotMessageDetail>(rig, url, { headers: vera })
    const forOlga = await ask<SnapshotMessageDetail>(rig, url, { headers: broker.as('olga') })

    expect(forVera).toMatchObject({ body: null, bodyHidden: 'from-your-role' })
    expect(JSON.stringify([page, forVera])).not.toContain('4111')
    expect(forOlga.body?.text).toContain('4111')
    for (const where of ['body.card:4111', '4111', 'not body.card:1'])
      await ask(rig, `${rig.path}/${id}/messages?where=${encodeURIComponent(where)}`, {
        headers: vera,
        status: 403,
      })
    await make(rig, { where: 'body.card:4111', headers: vera, status: 403 })
  })

  it('is masked in one message, and its keys are those of the server', async () => {
    const rig = await setup('masked.dlq', { count: 2, server: { payloads: { mask: ['card'] } } })
    const fromQueue = await ask<MessagePage>(rig, '/api/v1/dlqs/masked.dlq/messages')
    const { id } = await whenDone(rig, await make(rig))

    const { key } = fromQueue.items[1]!
    const message = await ask<SnapshotMessageDetail>(rig, `${rig.path}/${id}/messages/${key}`)

    expect(message).toMatchObject({ position: 1, body: { isMasked: true } })
    expect(JSON.stringify(message)).not.toContain('4111')
  })

  it('is not told by which messages a filter of somebody else has found', async () => {
    const rig = await setup('found.dlq', { count: 3, server: hidden })
    const vera = broker.as('vera')
    const { id } = await whenDone(rig, await make(rig, { where: 'body.at:1' }))

    await ask(rig, `${rig.path}/${id}`, { headers: vera, status: 404 })
    await ask(rig, `${rig.path}/${id}/causes`, { headers: vera, status: 404 })
    expect(await ask<SnapshotList>(rig, rig.path, { headers: vera })).toMatchObject({ items: [] })
  })

  it('cannot be erased by a viewer whose it is not', async () => {
    const rig = await setup('theirs.dlq', { count: 1 })
    const { id } = await whenDone(rig, await make(rig, { headers: broker.as('vera') }))
    const erase = (headers: Headers) =>
      rig.app.inject({ method: 'DELETE', url: `${rig.path}/${id}`, headers })

    const refused = await erase(broker.as('vic'))
    const erased = await erase(broker.as('vera'))

    expect(refused.json<Problem>()).toMatchObject({ status: 403, code: 'API_FORBIDDEN' })
    expect(erased.statusCode, erased.body).toBe(204)
  })

  it('cannot be erased by a token with the name of whose it is', async () => {
    const namesake = createToken()
    const tokens = [{ name: broker.nameOf('vera'), role: 'viewer', hash: namesake.hash }]
    const rig = await setup('namesake.dlq', { count: 1, server: { auth: { tokens } } })
    const { id } = await whenDone(rig, await make(rig, { headers: broker.as('vera') }))

    const headers = { authorization: `Bearer ${namesake.token}` }
    const refused = await rig.app.inject({ method: 'DELETE', url: `${rig.path}/${id}`, headers })

    expect(refused.json<Problem>()).toMatchObject({ status: 403, code: 'API_FORBIDDEN' })
  })
})
