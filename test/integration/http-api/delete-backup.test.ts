import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type {
  AuditPage,
  BackupList,
  Discarded,
  Problem,
} from '../../../packages/cli/src/http-api/contract/contract.ts'
import { backUpQueue } from '../../../packages/warrenmq/src/recovery/backup/backup-queue.ts'
import { eventually } from '../../support/eventually.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { startProxy } from '../../support/start-proxy.ts'
import { createVhost } from '../../support/use-broker.ts'
import { type ApiRig, setUpApi, startApiRig } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const { headers } = broker
const folder = mkdtempSync(join(tmpdir(), 'warren-delete-'))
const server = { backups: { folder } }
let rig: ApiRig
/** Another one that shares the folder. */
let replica: ApiRig

beforeAll(async () => {
  rig = await startApiRig({ ...broker, server })
  replica = await startApiRig({ ...broker, server })
  await broker.createAccount('operator', { tag: 'policymaker' })
  await broker.createAccount('narrow', { tag: 'administrator', read: '^mine\\.' })
})
afterAll(async () => {
  await Promise.all([rig.close(), replica.close()])
  rmSync(folder, { recursive: true, force: true })
})

async function fill(name: string, count: number): Promise<string> {
  const queue = `${namePerTry(name)}.dlq`
  await rig.declareDlq(queue)
  await rig.publish(
    Array.from({ length: count }, (_, at) => ({ key: queue, body: { at }, messageId: `m-${at}` })),
  )
  return queue
}

async function discard(queue: string, { app } = rig): Promise<string> {
  const request = { method: 'POST', url: `/api/v1/dlqs/${queue}/discard`, headers, payload: {} } as const
  const answer = await app.inject(request)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<Discarded>().backup.id
}

interface Asking {
  readonly app?: ApiRig['app']
  readonly as?: string
  readonly query?: string
}

const remove = (id: string, { app = rig.app, as, query = '' }: Asking = {}) =>
  app.inject({
    method: 'DELETE',
    url: `/api/v1/backups/${id}${query}`,
    headers: as === undefined ? headers : broker.as(as),
  })

async function restore(id: string): Promise<void> {
  const { rawPayload } = await rig.app.inject({ url: `/api/v1/backups/${id}`, headers })
  const answer = await rig.app.inject({
    method: 'POST',
    url: '/api/v1/restores',
    payload: rawPayload,
    headers: { ...headers, 'content-type': 'application/gzip' },
  })
  expect(answer.statusCode, answer.body).toBe(200)
}

const idsAt = async ({ app }: ApiRig) =>
  (await app.inject({ url: '/api/v1/backups', headers })).json<BackupList>().items.map(({ id }) => id)
const filesOf = (id: string) => readdirSync(folder).filter((name) => name.startsWith(id))

describe('a backup whose messages nobody has restored', () => {
  it('is kept unless somebody says that they may be lost', async () => {
    const queue = await fill('only', 3)
    const id = await discard(queue)

    const answer = await remove(id)

    expect(answer.json<Problem>(), answer.body).toMatchObject({ status: 409, code: 'API_BACKUP_NEEDED' })
    expect(answer.json<Problem>().detail).toContain(`the only copy of 3 messages`)
    expect(answer.json<Problem>().detail).toContain('force=true')
    expect(await idsAt(rig)).toContain(id)
    await restore(id)
    await broker.expectDepths({ [queue]: 3 })
  })

  it('is gone with its journal where it is forced, in the lists of all servers, and a second time not found', async () => {
    const id = await discard(await fill('forced', 2))

    const answer = await remove(id, { query: '?force=true&reason=too%20old' })

    expect([answer.statusCode, answer.body], answer.body).toEqual([204, ''])
    expect(filesOf(id)).toEqual([])
    expect([...(await idsAt(rig)), ...(await idsAt(replica))]).not.toContain(id)
    const again = [await remove(id), await remove(id, { app: replica.app, query: '?force=true' })]
    expect(again.map(({ statusCode }) => statusCode)).toEqual([404, 404])
    expect((await rig.app.inject({ url: `/api/v1/backups/${id}`, headers })).statusCode).toBe(404)
  })

  it('is in the audit log before it goes, with what was lost and why', async () => {
    const queue = await fill('told', 2)
    const id = await discard(queue)

    await remove(id, { query: '?force=true&reason=too%20old' })

    const { items } = (await rig.app.inject({ url: '/api/v1/audit', headers })).json<AuditPage>()
    const told = items.filter(({ action }) => action === 'backup.delete').slice(0, 2)
    expect(told.map(({ target, result, reason, by }) => [target, result, reason, by])).toEqual([
      [queue, `done ${id}: the only copy of 2`, 'too old', broker.username],
      [queue, `begun ${id}: the only copy of 2`, 'too old', broker.username],
    ])
  })

  it('is not lost by one person where so many need two', async () => {
    const id = await discard(await fill('two', 3))
    const strict = await setUpApi({ ...broker, server: { ...server, approval: { above: 2 } } })

    const answer = await remove(id, { app: strict.app, query: '?force=true' })

    expect(answer.json<Problem>(), answer.body).toMatchObject({ status: 403, code: 'API_APPROVAL_NEEDED' })
    expect(filesOf(id)).not.toEqual([])
  })

  it.each([
    ['was cut off', (file: string) => truncateSync(file, 400)],
    ['has something strange behind its end', (file: string) => appendFileSync(file, 'strange')],
  ])('and that %s is kept as well, although nobody knows what it holds', async (_, damage) => {
    const id = await discard(await fill('damaged', 3))
    await restore(id)
    damage(join(folder, `${id}.backup`))

    const answer = await remove(id)

    expect(answer.json<Problem>(), answer.body).toMatchObject({ status: 409, code: 'API_BACKUP_NEEDED' })
    expect(answer.json<Problem>().detail).toContain('damaged')
    expect((await remove(id, { query: '?force=true' })).statusCode).toBe(204)
    expect(filesOf(id)).toEqual([])
  })
})

describe('a backup that holds no only copy', () => {
  it('goes without a word when all of it was restored', async () => {
    const queue = await fill('restored', 3)
    const id = await discard(queue)
    await restore(id)

    const answer = await remove(id)

    expect(answer.statusCode, answer.body).toBe(204)
    expect(filesOf(id)).toEqual([])
    await broker.expectDepths({ [queue]: 3 })
  })

  it('goes without a word when its messages never left the queue', async () => {
    const queue = await fill('copied', 2)
    const id = randomUUID()
    const file = join(folder, `${id}.backup`)
    const { consuming, publishing } = rig
    await backUpQueue({ consuming, publishing, queue, by: 'a test', file, acceptDeliveryLimit: true })

    const answer = await remove(id)

    expect(answer.statusCode, answer.body).toBe(204)
    expect(filesOf(id)).toEqual([])
  })
})

describe('a backup that is being written', () => {
  it.each(['', '?force=true'])('is deleted by nobody, on no server (%s)', async (query) => {
    const proxy = await startProxy({ target: Number(new URL(broker.url).port) })
    onTestFinished(() => proxy.close())
    const slow = await setUpApi({ ...broker, url: proxy.urlFor(broker.url), server })
    const queue = await fill('written', 40)
    const before = readdirSync(folder)
    proxy.delay(100)
    const discarding = discard(queue, slow)
    const id = await eventually(() => {
      const [file] = readdirSync(folder).filter((name) => !before.includes(name))
      expect(file).toBeDefined()
      return file!.replace('.backup', '')
    })

    const answers = [await remove(id, { app: slow.app, query }), await remove(id, { query })]

    const codes = answers.map((answer) => (answer.statusCode === 204 ? 204 : answer.json<Problem>().code))
    // The file may be there before its first line is, and is none until then.
    for (const code of codes) expect(['API_BACKUP_IN_USE', 'API_NOT_FOUND']).toContain(code)
    expect(codes).toContain('API_BACKUP_IN_USE')
    proxy.resume()
    expect(await discarding).toBe(id)
    expect(filesOf(id)).toEqual([`${id}.backup`])
  })
})

describe('somebody who may not', () => {
  it('as an operator is refused, and written down', async () => {
    const id = await discard(await fill('operated', 1))

    const answer = await remove(id, { as: 'operator', query: '?force=true' })

    expect(answer.json<Problem>()).toMatchObject({ status: 403, code: 'API_FORBIDDEN' })
    const { items } = (await rig.app.inject({ url: '/api/v1/audit', headers })).json<AuditPage>()
    expect(items.find(({ action }) => action === 'refused')?.target).toContain('DELETE /api/v1/backups/:id')
    expect(filesOf(id)).not.toEqual([])
  })

  it('read the queue finds no such backup', async () => {
    const id = await discard(await fill('unreadable', 1))

    const answer = await remove(id, { as: 'narrow', query: '?force=true' })

    expect(answer.json<Problem>()).toMatchObject({ status: 404, code: 'API_NOT_FOUND' })
    expect(filesOf(id)).not.toEqual([])
  })

  it('enter its vhost finds no such backup, where servers of both share the folder', async () => {
    const id = await discard(await fill('foreign', 1))
    const neighbour = await createVhost()
    onTestFinished(neighbour.drop)
    const other = await setUpApi({ ...neighbour, managementUrl: broker.managementUrl, server })

    const answer = await remove(id, { app: other.app, query: '?force=true' })

    expect(answer.json<Problem>()).toMatchObject({ status: 404, code: 'API_NOT_FOUND' })
    expect(filesOf(id)).not.toEqual([])
  })

  it('say what they mean is asked again', async () => {
    const id = await discard(await fill('misspelt', 1))

    const answers = await Promise.all(
      ['?force=yes', '?force=1', '?force', '?forced=true'].map((query) => remove(id, { query })),
    )

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([400, 400, 400, 400])
    expect(filesOf(id)).not.toEqual([])
  })
})

it('lists are whole while backups are deleted beside them', async () => {
  const ids = []
  for (let at = 0; at < 10; at += 1) ids.push(await discard(await fill(`beside-${at}`, 1)))

  const deleting = ids.map((id) => remove(id, { query: '?force=true' }))
  const lists = await Promise.all(
    Array.from({ length: 20 }, () => replica.app.inject({ url: '/api/v1/backups', headers })),
  )

  expect(new Set(lists.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
  expect(new Set((await Promise.all(deleting)).map(({ statusCode }) => statusCode))).toEqual(new Set([204]))
})
