import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { backUpQueue } from '../../../packages/warrenmq/src/recovery/backup/backup-queue.ts'
import { countRemovals } from '../../../packages/warrenmq/src/recovery/backup/decide-removal.ts'
import { discardMessages } from '../../../packages/warrenmq/src/recovery/backup/discard-messages.ts'
import { readBackup } from '../../../packages/warrenmq/src/recovery/backup/read-backup.ts'
import { restoreBackup } from '../../../packages/warrenmq/src/recovery/backup/restore-backup.ts'
import { verifyBackup } from '../../../packages/warrenmq/src/recovery/backup/verify-backup.ts'
import { typed } from '../../../packages/warrenmq/src/wire/plain-fields.ts'
import { eventually } from '../../support/eventually.ts'
import { limitFileSize } from '../../support/limit-file-size.ts'
import { startProxy } from '../../support/start-proxy.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createRecoveryRig, type RecoveryRig } from './recovery-rig.ts'

const broker = await useBroker()
let number = 0

async function setup(args?: Parameters<RecoveryRig['declare']>[1], consumingUrl = broker.url) {
  const rig = await createRecoveryRig({ ...broker, consumingUrl })
  number += 1
  const dlq = `dlq-${number}`
  await rig.declare(dlq, args)
  const folder = mkdtempSync(join(tmpdir(), 'warren-backup-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'dlq.backup')
  const task = { ...rig, queue: dlq, by: 'test', file }
  return {
    ...rig,
    dlq,
    file,
    backUp: () => backUpQueue(task),
    restore: (queue = dlq) => restoreBackup({ ...task, queue }),
    discard: (options: Partial<Parameters<typeof discardMessages>[0]> = {}) =>
      discardMessages({ ...task, ...options }),
  }
}

const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, index) => String(from + index))
const bodies = (messages: readonly { body: string }[]) => messages.map(({ body }) => body)

async function recordsOf(file: string): Promise<string[]> {
  const found: string[] = []
  await readBackup(file, (line) => {
    if (line.kind === 'record') found.push(line.record.body.toString())
  })
  return found
}

/** One header of every type that RabbitMQ knows, and every property that a client may send anywhere. */
const everyField = {
  contentType: 'a/b',
  contentEncoding: 'gzip',
  priority: 3,
  correlationId: 'c',
  replyTo: 'r',
  type: 't',
  appId: 'app',
  messageId: 'every',
  timestamp: new Date(1_700_000_000_000),
  headers: {
    boolean: true,
    int8: typed({ type: 'b', value: -5 }),
    uint8: typed({ type: 'B', value: 200 }),
    int16: typed({ type: 's', value: -300 }),
    uint16: typed({ type: 'u', value: 60_000 }),
    int32: typed({ type: 'I', value: -70_000 }),
    uint32: typed({ type: 'i', value: 4_000_000_000 }),
    int64: typed({ type: 'l', value: 2n ** 60n }),
    time: typed({ type: 'T', value: 1_700_000_000n }),
    float: typed({ type: 'f', value: 0.5 }),
    double: typed({ type: 'd', value: 0.1 }),
    decimal: typed({ type: 'D', value: { scale: 2, unscaled: 314 } }),
    text: 'grün',
    bytes: Buffer.from([0, 255, 1]),
    nothing: null,
    list: ['a', 1, null, { deep: [true] }],
    table: { inner: { more: 'x' } },
  },
}

test('a backup leaves every message where it is, and its restored copy is the same to the last byte', async () => {
  const { dlq, publisher, fill, backUp, restore, drain, depth, file } = await setup()
  await publisher.publish({ key: dlq, body: Buffer.from([0, 1, 255]), ...everyField })
  await fill(dlq, 3)
  await publisher.publish({ key: dlq, body: 'transient', messageId: 'x', persistent: false })

  expect(await backUp()).toMatchObject({ present: 5, seen: 5, records: 5, resumed: 0 })
  expect(await depth(dlq)).toBe(5)
  const before = await drain(dlq)
  const report = await restore()

  expect(report).toMatchObject({ records: 5, restored: 5, restoredBefore: 0, alreadyThere: 0, failed: 0 })
  const after = await drain(dlq)
  expect(bodies(after)).toEqual(bodies(before))
  // The ones taken out after the look carry the broker's count of it, which is not the message's own.
  expect(after.map(({ headers }) => headers)).toEqual(
    before.map(({ headers: { 'x-delivery-count': _, 'x-acquired-count': __, ...own } }) => own),
  )
  const records: Buffer[] = []
  await readBackup(file, (line) => {
    if (line.kind === 'record') records.push(line.record.properties)
  })
  expect(after.map(({ raw }) => raw)).toEqual(records)
})

test('a backup is checked without a broker, and zcat reads it', async () => {
  const { dlq, fill, backUp, file } = await setup()
  await fill(dlq, 20)

  const { seal } = await backUp()

  expect(await verifyBackup(file)).toMatchObject({ records: 20, digest: seal?.digest, tornBytes: 0 })
  const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n')
  expect(lines).toHaveLength(22)
  expect(JSON.parse(lines[0]!)).toMatchObject({ format: 'warren-backup/2', queue: dlq, by: 'test' })
})

test('a second restore adds nothing, even when the messages have left the queue since', async () => {
  const { dlq, fill, backUp, restore, drain, depth } = await setup()
  await fill(dlq, 30)
  await backUp()
  await drain(dlq)

  expect(await restore()).toMatchObject({ restored: 30 })
  expect(await restore()).toMatchObject({ restored: 0, restoredBefore: 30 })
  expect(await depth(dlq)).toBe(30)
  await drain(dlq)
  expect(await restore()).toMatchObject({ restored: 0, restoredBefore: 30 })
  expect(await depth(dlq)).toBe(0)
})

test('what stands in the queue is not restored again, even if nobody wrote down that it was', async () => {
  const { dlq, fill, backUp, restore, admin, drain, file } = await setup()
  await fill(dlq, 10, (index) => (index < 4 ? { body: 'alike', messageId: 'm' } : {}))
  await backUp()
  for (let taken = 0; taken < 3; taken += 1) (await admin.get(dlq))?.ack()

  expect(await restore()).toMatchObject({ records: 10, restored: 3, alreadyThere: 7 })
  rmSync(`${file}.restored`)
  expect(await restore()).toMatchObject({ restored: 0, alreadyThere: 10 })

  expect(bodies(await drain(dlq)).sort()).toEqual([...numbers(6, 4), ...Array(4).fill('alike')])
})

test('what a restore found in the queue is put back by the next one if it has left the queue since', async () => {
  const { dlq, fill, backUp, restore, drain, depth } = await setup()
  await fill(dlq, 12)
  await backUp()
  expect(await restore()).toMatchObject({ restored: 0, alreadyThere: 12 })
  await drain(dlq)

  expect(await restore()).toMatchObject({ restored: 12, restoredBefore: 0, duplicatesPossible: 0 })
  expect(await depth(dlq)).toBe(12)
})

test('what a killed restore put there without writing it down is not restored again when it was handled since', async () => {
  const { dlq, fill, backUp, restore, drain, depth, file } = await setup()
  await fill(dlq, 1_200)
  await backUp()
  await drain(dlq)
  await restore()
  // As a kill between the publishes and their confirms leaves it.
  const lines = readFileSync(`${file}.restored`, 'utf8').split('\n')
  writeFileSync(`${file}.restored`, lines.filter((line) => line.includes('"begun"')).join('\n'))

  expect(await restore()).toMatchObject({ restored: 0, alreadyThere: 1_200 })
  expect(await drain(dlq)).toHaveLength(1_200)

  expect(await restore()).toMatchObject({ restored: 0, restoredBefore: 1_200, alreadyThere: 0 })
  expect(await depth(dlq)).toBe(0)
})

test('a restore that cannot open its journal gives the lock back', async () => {
  const { dlq, fill, backUp, restore, drain, file } = await setup()
  await fill(dlq, 3)
  await backUp()
  await drain(dlq)
  mkdirSync(`${file}.restored`)
  await expect(restore()).rejects.toMatchObject({ code: 'BACKUP_NOT_WRITTEN' })
  rmdirSync(`${file}.restored`)

  expect(await restore()).toMatchObject({ restored: 3 })
})

/** Only Linux has a device that is always full, and a limit for the files of a process that runs. */
const isLinux = process.platform === 'linux'

test.runIf(isLinux)('a backup whose first bytes find no room names the file and the cause', async () => {
  const { dlq, fill, depth, consuming, publishing, management } = await setup()
  await fill(dlq, 3)
  const task = { consuming, publishing, management, queue: dlq, by: 'test', file: '/dev/full' }

  await expect(backUpQueue(task)).rejects.toMatchObject({
    code: 'BACKUP_NOT_WRITTEN',
    message: expect.stringMatching(/\/dev\/full .*ENOSPC/),
  })

  expect(await depth(dlq)).toBe(3)
})

test.runIf(isLinux).each(['backUp', 'discard'] as const)(
  'a disk that fills ends a %s at once, with the file and the cause, and every message is back',
  async (action) => {
    const rig = await setup()
    const { dlq, fill, depth, drain, file } = rig
    await fill(dlq, 5_000, () => ({ body: randomBytes(1_024) }))
    const lift = await limitFileSize(100_000)

    await expect(rig[action]()).rejects.toMatchObject({
      code: 'BACKUP_NOT_WRITTEN',
      message: expect.stringMatching(`${file} cannot be written: EFBIG`),
    })

    await eventually(async () => expect(await depth(dlq)).toBe(5_000))
    await lift()
    await rig[action]()
    const { records, runs } = await verifyBackup(file)
    expect(action === 'backUp' ? records : countRemovals(runs).removed).toBe(5_000)
    expect(await drain(dlq)).toHaveLength(action === 'backUp' ? 5_000 : 0)
  },
)

test('a backup that was cut off anywhere is gone on with and holds each message once', async () => {
  const { dlq, fill, backUp, file } = await setup({ 'x-queue-type': 'classic' })
  await fill(dlq, 40, () => ({ body: Buffer.alloc(100_000, Math.random().toString(36)) }))
  await backUp()
  const whole = readFileSync(file)
  const wanted = (await recordsOf(file)).sort()
  const first = gunzipSync(whole).indexOf('\n')

  for (const part of [0.05, 0.3, 0.6, 0.99]) {
    writeFileSync(file, whole)
    truncateSync(file, Math.max(first, Math.floor(whole.length * part)))
    const report = await backUp()

    expect(report.records).toBe(40)
    expect((await recordsOf(file)).sort()).toEqual(wanted)
    expect((await verifyBackup(file)).seal).toEqual(report.seal)
  }
})

test('a complete backup, and one of another queue, is not written over', async () => {
  const { dlq, fill, backUp, discard, file, declare, consuming, publishing, management } = await setup()
  await fill(dlq, 3)
  await backUp()
  const written = readFileSync(file)
  await declare(`${dlq}-other`)
  const other = { consuming, publishing, management, queue: `${dlq}-other`, by: 'test', file }

  for (const attempt of [backUp, discard, () => backUpQueue(other)]) {
    await expect(attempt()).rejects.toMatchObject({ code: 'BACKUP_NOT_WRITTEN' })
  }

  expect(readFileSync(file)).toEqual(written)
})

test('a damaged backup is not valid, and what can be read of it is restored', async () => {
  const { dlq, fill, backUp, restore, file, drain, depth } = await setup()
  await fill(dlq, 50)
  await backUp()
  await drain(dlq)
  const damaged = readFileSync(file)
  damaged[Math.floor(damaged.length / 2)]! ^= 4
  writeFileSync(file, damaged)

  await expect(verifyBackup(file)).rejects.toMatchObject({ code: 'BACKUP_INVALID' })
  const { records, unreadable, ...report } = await restore()
  expect(report).toMatchObject({ restored: records, isDamaged: true })
  expect([records + unreadable, await depth(dlq)]).toEqual([50, records])
})

test('what cannot be delivered to the named queue is told and tried again', async () => {
  const { dlq, fill, backUp, restore, declare, depth } = await setup()
  await fill(dlq, 5)
  await backUp()
  const small = `${dlq}-small`
  await declare(small, { 'x-queue-type': 'classic', 'x-max-length': 2, 'x-overflow': 'reject-publish' })

  const report = await restore(small)

  expect(report).toMatchObject({ restored: 2, failed: 3, failures: [{ kind: 'refused', count: 3 }] })
  expect(await depth(small)).toBe(2)
})

test('a discard removes exactly what is in its backup, and a restore brings it back', async () => {
  const { dlq, fill, discard, restore, drain, file } = await setup()
  await fill(dlq, 100, (index) => ({ type: index % 4 === 0 ? 'bad' : 'good' }))

  const report = await discard({ select: ({ properties }) => properties.includes('bad') })

  expect(report).toMatchObject({ present: 100, removed: 25, left: 75, isDone: true })
  const bad = numbers(100).filter((_, index) => index % 4 === 0)
  expect(await recordsOf(file)).toEqual(bad)
  expect(countRemovals((await verifyBackup(file)).runs)).toEqual({ removed: 25, inDoubt: 0, left: 0 })
  expect(bodies(await drain(dlq))).toEqual(numbers(100).filter((_, index) => index % 4 !== 0))
  expect(await restore()).toMatchObject({ restored: 25 })
  expect(bodies(await drain(dlq))).toEqual(bad)
})

test('a discard that is done is not gone on with', async () => {
  const { dlq, fill, discard, depth } = await setup()
  await fill(dlq, 10)
  expect(await discard({ limit: 4 })).toMatchObject({ removed: 4, left: 6, isDone: true })

  await expect(discard()).rejects.toMatchObject({ code: 'BACKUP_NOT_WRITTEN' })

  expect(await depth(dlq)).toBe(6)
})

test.each(['before', 'after'] as const)(
  'a discard whose connection is cut %s its first ack loses nothing and is gone on with',
  async (where) => {
    const proxy = await startProxy({ target: Number(new URL(broker.url).port) })
    onTestFinished(() => proxy.close())
    const { dlq, fill, discard, depth, file } = await setup(undefined, proxy.urlFor(broker.url))
    await fill(dlq, 300)
    const cut = proxy.cutAtFrame({ direction: 'to-broker', classId: 60, methodId: 80, where })

    const first = await discard().catch((error: { code: string }) => error.code)
    await cut
    const interrupted = await readBackup(file)
    expect(interrupted.records).toBe(300)
    expect(countRemovals(interrupted.runs)).toEqual({ removed: 0, inDoubt: 250, left: 50 })
    // The lock goes with its connection, a moment after the connection.
    const second = await eventually(() => discard())

    expect(first).toBe('RECOVERY_INTERRUPTED')
    expect(second).toMatchObject({ isDone: true, before: { removed: 0, inDoubt: 250 } })
    expect(await depth(dlq)).toBe(0)
    expect([...new Set(await recordsOf(file))].sort()).toEqual(numbers(300).sort())
  },
)
