import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type {
  AuditPage,
  BackupList,
  Discarded,
  Problem,
  Restored,
} from '../../../packages/cli/src/http-api/contract/contract.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { createVhost } from '../../support/use-broker.ts'
import { type ApiRig, setUpApi, startApiRig } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

// Of its own, so that what is left behind can be seen.
process.env.TMPDIR = mkdtempSync(join(tmpdir(), 'warren-backups-test-'))
const broker = await useApiBroker()
const folder = join(tmpdir(), 'kept')
const { headers } = broker
let rig: ApiRig

beforeAll(async () => {
  rig = await startApiRig({ ...broker, server: { backups: { folder } } })
})
afterAll(async () => {
  await rig.close()
  rmSync(tmpdir(), { recursive: true, force: true })
})

async function setup(queue: string, count: number): Promise<void> {
  await rig.declareDlq(queue)
  const message = (at: number) => ({ key: queue, body: { at }, messageId: `m-${at}`, type: `T${at % 2}` })
  await rig.publish(Array.from({ length: count }, (_, at) => message(at)))
}

async function idsIn(queue: string): Promise<(string | undefined)[]> {
  return (await broker.peek(queue)).map(({ properties }) => properties.messageId)
}

const download = (queue: string, query = '') =>
  rig.app.inject({ url: `/api/v1/dlqs/${queue}/backup${query}`, headers })

const discard = (queue: string, payload: object, { app } = rig) =>
  app.inject({ method: 'POST', url: `/api/v1/dlqs/${queue}/discard`, headers, payload })

const restore = (payload: Buffer, query = '', { app } = rig) =>
  app.inject({
    method: 'POST',
    url: `/api/v1/restores${query}`,
    payload,
    headers: { ...headers, 'content-type': 'application/gzip' },
  })

describe('a backup', () => {
  it('is downloaded whole, while the messages stay where they are, in order', async () => {
    await setup('saved.dlq', 5)

    const answer = await download('saved.dlq')

    expect(answer.statusCode, answer.body).toBe(200)
    expect(answer.headers['content-type']).toBe('application/gzip')
    expect(answer.headers['content-disposition']).toContain('filename="saved.dlq.backup"')
    const lines = gunzipSync(answer.rawPayload).toString().trim().split('\n')
    expect(lines).toHaveLength(1 + 5 + 1)
    expect(JSON.parse(lines[0]!)).toMatchObject({
      format: 'warren-backup/2',
      queue: 'saved.dlq',
      by: broker.username,
    })
    expect(await idsIn('saved.dlq')).toEqual(['m-0', 'm-1', 'm-2', 'm-3', 'm-4'])
  })

  it('is written down with what came of it', async () => {
    const queue = `${namePerTry('told')}.dlq`
    await setup(queue, 3)
    await rig.declareDlq(`no-${queue}`, { 'x-delivery-limit': 1 }) // which a look could empty

    await download(queue)
    await download(`no-${queue}`)

    const audit = await rig.app.inject({ url: '/api/v1/audit', headers })
    const told = (queue: string) =>
      audit
        .json<AuditPage>()
        .items.filter(({ action, target }) => action === 'backup' && target === queue)
        .map(({ result }) => result)
        .toReversed()
    expect(told(queue)).toEqual([
      'begun',
      expect.stringMatching(/^done [0-9a-f-]{36}: 3 messages, handed out$/),
    ])
    expect(told(`no-${queue}`)).toEqual(['begun', 'failed: nothing was sent'])
  })

  it('may be one of those that a filter names', async () => {
    await setup('some.dlq', 4)

    const { rawPayload } = await download('some.dlq', '?where=type:T1')

    expect(
      gunzipSync(rawPayload)
        .toString()
        .match(/"number":/g),
    ).toHaveLength(2)
  })

  it('of a queue that is not there is not found', async () => {
    expect((await download('nowhere.dlq')).statusCode).toBe(404)
  })

  it('is not given where parts of payloads are masked', async () => {
    const masked = await setUpApi({ ...broker, server: { payloads: { mask: ['card'] } } })

    const answer = await masked.app.inject({ url: '/api/v1/dlqs/saved.dlq/backup', headers })

    expect(answer.statusCode).toBe(403)
  })
})

describe('messages that are discarded', () => {
  it('are in a kept backup before they go, can be fetched, and restored once', async () => {
    await setup('dropped.dlq', 6)

    const answer = await discard('dropped.dlq', { where: 'type:T0', reason: 'test orders' })
    const { backup, ...report } = answer.json<Discarded>()
    await broker.expectDepths({ 'dropped.dlq': 3 })
    const left = await idsIn('dropped.dlq')
    const fetched = await rig.app.inject({ url: `/api/v1/backups/${backup.id}`, headers })
    const restored = (await restore(fetched.rawPayload)).json<Restored>()
    const again = (await restore(fetched.rawPayload)).json<Restored>()

    expect(answer.statusCode, answer.body).toBe(200)
    expect(report).toEqual({
      kind: 'discarded',
      queue: 'dropped.dlq',
      present: 6,
      removed: 3,
      left: 3,
      missing: 0,
      isDone: true,
    })
    expect(left).toEqual(['m-1', 'm-3', 'm-5'])
    expect(fetched.rawPayload).toHaveLength(backup.sizeBytes)
    expect(restored).toMatchObject({ queue: 'dropped.dlq', records: 3, restored: 3, alreadyThere: 0 })
    expect(again).toMatchObject({ restored: 0 })
    expect((await idsIn('dropped.dlq')).toSorted()).toEqual(['m-0', 'm-1', 'm-2', 'm-3', 'm-4', 'm-5'])
  })

  it('are listed with who discarded them, and written down', async () => {
    const queue = `${namePerTry('listed')}.dlq`
    await setup(queue, 2)
    const { backup } = (await discard(queue, { limit: 1 })).json<Discarded>()

    const list = await rig.app.inject({ url: '/api/v1/backups', headers })
    const audit = await rig.app.inject({ url: '/api/v1/audit', headers })

    expect(list.json<BackupList>().items).toContainEqual(backup)
    expect(backup).toMatchObject({ purpose: 'discard', queue, by: broker.username })
    const ofQueue = audit.json<AuditPage>().items.filter(({ target }) => target === queue)
    expect(ofQueue.map(({ action, result }) => [action, result.split(' ')[0]])).toEqual([
      ['discard', 'done'],
      ['discard', 'begun'],
    ])
  })

  it('are refused where there is nowhere to keep the backup', async () => {
    await setup('unkept.dlq', 2)
    const without = await setUpApi(broker)

    const answer = await discard('unkept.dlq', {}, without)

    expect(answer.statusCode).toBe(409)
    expect(answer.json<Problem>().code).toBe('API_NO_BACKUP_FOLDER')
    expect(await idsIn('unkept.dlq')).toHaveLength(2)
  })

  it('are refused in a queue that is no dead-letter queue', async () => {
    await setup('live-orders', 2)
    const files = readdirSync(folder)

    const answer = await discard('live-orders', {})

    expect(answer.statusCode).toBe(404)
    expect(await idsIn('live-orders')).toHaveLength(2)
    expect(readdirSync(folder)).toEqual(files)
  })
})

describe('a restore', () => {
  it('leaves out what was restored before, also when it has gone on meanwhile', async () => {
    await setup('moved-on.dlq', 3)
    const { backup } = (await discard('moved-on.dlq', {})).json<Discarded>()
    const { rawPayload } = await rig.app.inject({ url: `/api/v1/backups/${backup.id}`, headers })
    await restore(rawPayload)
    await discard('moved-on.dlq', { reason: 'they go on, and the queue knows nothing of them any more' })

    const again = await restore(rawPayload)

    expect(again.json<Restored>()).toMatchObject({ restored: 0, restoredBefore: 3 })
    await broker.expectDepths({ 'moved-on.dlq': 0 })
  })

  it('of what is no backup, or one that was changed, restores nothing and names no file of ours', async () => {
    await setup('torn.dlq', 3)
    const { rawPayload } = await download('torn.dlq')
    await discard('torn.dlq', {})

    const answers = [
      await restore(Buffer.from('no backup')),
      await restore(rawPayload.subarray(0, -30)),
      await restore(Buffer.alloc(0)),
    ]

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([400, 400, 400])
    expect(answers.map(({ body }) => body).join()).not.toContain(tmpdir())
    await broker.expectDepths({ 'torn.dlq': 0 })
  })

  it('goes into dead-letter queues only', async () => {
    await setup('source.dlq', 1)
    await setup('live-work', 0)
    const { rawPayload } = await download('source.dlq')

    const answer = await restore(rawPayload, '?queue=live-work')

    expect(answer.statusCode).toBe(404)
    expect(await idsIn('live-work')).toEqual([])
  })

  it('takes no more bytes than it may', async () => {
    const small = await setUpApi({ ...broker, server: { limits: { uploadBytes: 2_000 } } })

    const answer = await restore(Buffer.alloc(3_000), '', small)

    expect(answer.statusCode).toBe(413)
    expect(answer.json<Problem>().code).toBe('API_TOO_LARGE')
  })

  it('is asked for as a file, not as JSON', async () => {
    const answer = await rig.app.inject({
      method: 'POST',
      url: '/api/v1/restores',
      headers,
      payload: { a: 1 },
    })
    const elsewhere = await rig.app.inject({
      method: 'POST',
      url: '/api/v1/redrives',
      payload: Buffer.from('x'),
      headers: { ...headers, 'content-type': 'application/gzip' },
    })

    expect([answer.statusCode, elsewhere.statusCode]).toEqual([415, 415])
  })
})

describe('a folder that servers of two vhosts share', () => {
  it('shows to each the backups of its own vhost, and hands out no other', async () => {
    const neighbour = await createVhost()
    onTestFinished(neighbour.drop)
    const managementUrl = broker.managementUrl
    const other = await setUpApi({ ...neighbour, managementUrl, server: { backups: { folder } } })
    await setup('private.dlq', 2)
    const { id } = (await discard('private.dlq', {})).json<Discarded>().backup

    const ask = (path: string, { app } = other) => app.inject({ url: `/api/v1/backups${path}`, headers })
    const [listed, fetched] = [await ask(''), await ask(`/${id}`)]

    expect(listed.json<BackupList>().items).toEqual([])
    expect(fetched.json<Problem>()).toMatchObject({ status: 404, code: 'API_NOT_FOUND' })
    expect((await ask('', rig)).json<BackupList>().items.map((kept) => kept.id)).toContain(id)
    expect((await ask(`/${id}`, rig)).statusCode).toBe(200)
  })
})

it('nothing of what was uploaded or downloaded stays behind, but what is to be kept', () => {
  expect(readdirSync(tmpdir())).toEqual(['kept'])
})
