import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { joinBody } from '../../../packages/warrenmq/src/broker/amqp/message.ts'
import type { OutgoingMessage } from '../../../packages/warrenmq/src/publisher/outgoing-message.ts'
import type { Publisher } from '../../../packages/warrenmq/src/publisher/publisher.ts'
import { backUpQueue } from '../../../packages/warrenmq/src/recovery/backup/backup-queue.ts'
import {
  type DiscardOptions,
  discardMessages,
} from '../../../packages/warrenmq/src/recovery/backup/discard-messages.ts'
import { restoreBackup } from '../../../packages/warrenmq/src/recovery/backup/restore-backup.ts'
import { verifyBackup } from '../../../packages/warrenmq/src/recovery/backup/verify-backup.ts'
import { eventually } from '../../support/eventually.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { publishUnnamed } from '../../support/publish-unnamed.ts'
import { startProxy } from '../../support/start-proxy.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createRecoveryRig } from './recovery-rig.ts'

const broker = await useBroker()

const ack = { direction: 'to-broker', classId: 60, methodId: 80 } as const
/** Nothing tells one of them from the next. */
const alike = (): Partial<OutgoingMessage> => ({ body: 'alike', messageId: 'alike', timestamp: new Date(0) })

async function fillUnnamed(task: { publisher: Publisher; dlq: string; from: number; count: number }) {
  const bodies = Array.from({ length: task.count }, (_, index) => String(task.from + index))
  await Promise.all(
    bodies.map((body) => publishUnnamed(task.publisher, { key: task.dlq, body, headers: {} })),
  )
}

async function setup(type: 'classic' | 'quorum' = 'quorum') {
  const proxy = await startProxy({ target: Number(new URL(broker.url).port) })
  onTestFinished(() => proxy.close())
  const rig = await createRecoveryRig({ ...broker, consumingUrl: proxy.urlFor(broker.url) })
  const dlq = namePerTry(`removed-${type}`)
  await rig.declare(dlq, type === 'classic' ? { 'x-queue-type': type } : undefined)
  const folder = mkdtempSync(join(tmpdir(), 'warren-removed-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'dlq.backup')
  const task = { ...rig, queue: dlq, by: 'test', file }
  return {
    ...rig,
    proxy,
    dlq,
    file,
    backUp: () => backUpQueue(task),
    discard: (options: Partial<DiscardOptions> = {}) => discardMessages({ ...task, ...options }),
    /** The lock of one that was cut off goes a moment after its connection. */
    discardAgain: () => eventually(() => discardMessages(task), { what: 'the lock to be free' }),
    restore: (queue = dlq) =>
      eventually(() => restoreBackup({ ...task, queue }), { what: 'the lock to be free' }),
  }
}

test.each(['classic', 'quorum'] as const)(
  'what was removed from a %s queue is restored although the queue holds others that are alike',
  async (type) => {
    const { dlq, fill, discard, restore, depth } = await setup(type)
    await fill(dlq, 100, alike)
    expect(await discard({ limit: 40 })).toMatchObject({ removed: 40, left: 60, isDone: true })

    // Any of the others may be one that a crash brought back to a classic queue: nothing tells them apart.
    const mayBeBack = type === 'classic' ? 40 : 0
    const counts = { records: 40, restored: 40, alreadyThere: 0, duplicatesPossible: mayBeBack, mayBeBack }
    expect(await restore()).toMatchObject(counts)
    expect(await depth(dlq)).toBe(100)

    expect(await restore()).toMatchObject({ restored: 0, restoredBefore: 40 })
    expect(await depth(dlq)).toBe(100)
  },
)

test('what a discard took out of a classic queue among others comes back without a doubt', async () => {
  const { dlq, fill, discard, restore, depth } = await setup('classic')
  await fill(dlq, 100)
  expect(await discard({ limit: 40 })).toMatchObject({ removed: 40, mayComeBack: 40, left: 60 })
  await fill(dlq, 40, (index) => ({ messageId: `later-${index}` }))

  expect(await restore()).toMatchObject({ restored: 40, duplicatesPossible: 0, mayBeBack: 0 })
  expect(await depth(dlq)).toBe(140)
})

test('what came back to its queue is counted, wherever the record of it is restored', async () => {
  const { dlq, fill, declare, discard, restore, depth } = await setup('classic')
  const elsewhere = namePerTry('elsewhere')
  await declare(elsewhere, { 'x-queue-type': 'classic' })
  await fill(dlq, 30, (index) => ({ timestamp: new Date(0), body: String(index) }))
  await discard()
  await fill(dlq, 12, (index) => ({ timestamp: new Date(0), body: String(index) })) // as after a crash

  expect(await restore(elsewhere)).toMatchObject({ restored: 30, duplicatesPossible: 12, mayBeBack: 12 })
  expect([await depth(dlq), await depth(elsewhere)]).toEqual([12, 30])
})

test('what a consumer of the queue may hold can be any of those that were removed', async () => {
  const { dlq, fill, discard, restore, admin } = await setup('classic')
  await fill(dlq, 30)
  await discard()
  await admin.consume(dlq, () => undefined)

  expect(await restore()).toMatchObject({ restored: 30, duplicatesPossible: 30, mayBeBack: 30 })
})

test('a quorum queue that gets others meanwhile loses no more than was to be removed, and keeps their order', async () => {
  const { dlq, fill, discard, drain } = await setup('quorum')
  await fill(dlq, 3_000)
  let arrivals: Promise<void> | undefined

  const report = await discard({
    select: (message) => {
      arrivals ??= fill(dlq, 50, (index) => ({ body: `later-${index}` }))
      return Number(joinBody(message.body).toString()) % 2 === 0
    },
  })
  await arrivals

  expect(report).toMatchObject({ removed: 1_500, mayComeBack: 0, isDone: true })
  const left = (await drain(dlq)).map(({ body }) => body)
  expect(left.filter((body) => !body.startsWith('later'))).toEqual(
    Array.from({ length: 1_500 }, (_, index) => String(2 * index + 1)),
  )
  expect(left.filter((body) => body.startsWith('later'))).toHaveLength(50)
})

test('a restore between two runs of a discard takes nothing from the restore after the second', async () => {
  const { proxy, dlq, fill, discard, discardAgain, restore, depth, drain } = await setup()
  await fill(dlq, 600)
  const cut = proxy.cutAtFrame({ ...ack, where: 'before' })
  await discard().catch(() => undefined)
  await cut
  await eventually(async () => expect(await depth(dlq)).toBe(600))
  const between = await restore()
  const doubled = await depth(dlq)

  expect(await discardAgain()).toMatchObject({ left: 0, isDone: true })
  await restore()

  expect(doubled - 600).toBe(between.restored)
  expect(between.restored).toBeLessThanOrEqual(250)
  expect(new Set((await drain(dlq)).map(({ body }) => body)).size).toBe(600)
})

test.each(['before', 'after'] as const)(
  'messages without an id whose discard was cut %s an ack come back, and no more of them twice than it says',
  async (where) => {
    const { proxy, dlq, publisher, discard, discardAgain, restore, drain } = await setup()
    for (let from = 0; from < 2_000; from += 500) await fillUnnamed({ publisher, dlq, from, count: 500 })
    const cut = proxy.cutAtFrame({ ...ack, nth: 3, where })
    await discard().catch(() => undefined)
    await cut
    await discardAgain()

    const report = await restore()

    const back = (await drain(dlq)).map(({ body }) => body)
    expect(new Set(back).size).toBe(2_000)
    expect(back.length - 2_000).toBeLessThanOrEqual(report.duplicatesPossible)
    expect(report.duplicatesPossible).toBeLessThanOrEqual(250)
  },
)

test('a damaged backup is not written to, and what can be read of it is restored and the rest counted', async () => {
  const { dlq, fill, backUp, discard, restore, file, drain } = await setup('classic')
  await fill(dlq, 3_000, (index) => ({ body: `${index} ${'x'.repeat(1_000)}` }))
  await discard()
  const damaged = readFileSync(file)
  damaged[Math.floor(damaged.length / 2)]! ^= 4
  writeFileSync(file, damaged)

  await expect(verifyBackup(file)).rejects.toMatchObject({
    code: 'BACKUP_INVALID',
    message: expect.stringMatching(/of 3000 .*can be read/),
  })
  for (const again of [backUp, discard])
    await expect(again()).rejects.toMatchObject({ code: 'BACKUP_NOT_WRITTEN' })
  expect(readFileSync(file).equals(damaged)).toBe(true)

  const report = await restore()
  expect(report.records + report.unreadable).toBe(3_000)
  expect(report.unreadable).toBeGreaterThan(0)
  expect(report.unreadable).toBeLessThan(300)
  expect(report.restored).toBe(report.records)
  expect(new Set((await drain(dlq)).map(({ body }) => body)).size).toBe(report.records)
})
