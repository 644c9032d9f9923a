import { expect, onTestFinished, test } from 'vitest'
import {
  bindQueue,
  declareExchange,
  deleteQueue,
} from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { lockName } from '../../../packages/warrenmq/src/recovery/lock/take-lock.ts'
import { recoverQueues } from '../../../packages/warrenmq/src/recovery/recover/recover-queues.ts'
import { eventually } from '../../support/eventually.ts'
import { startProxy } from '../../support/start-proxy.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createRecoveryRig } from './recovery-rig.ts'

const broker = await useBroker()
const timeouts = { idleMs: 50, emptyMs: 50 }
let number = 0

async function setup(consumingUrl = broker.url) {
  const rig = await createRecoveryRig({ ...broker, consumingUrl })
  number += 1
  const [dlq, scans, exchange] = [`dlq-${number}`, `collection.scan-${number}`, `tasks-${number}`]
  await rig.declare(dlq)
  await rig.declare(scans)
  await declareExchange(rig.admin, { exchange, type: 'direct' })
  await bindQueue(rig.admin, { queue: scans, exchange, routingKey: 'collection.scan' })
  const types = { routes: { CollectionScan: { exchange, key: 'collection.scan' } } }
  const lines: string[] = []
  const recover = (options: Partial<Parameters<typeof recoverQueues>[0]> = {}) =>
    recoverQueues({ ...rig, queues: [dlq], types, timeouts, log: (line) => lines.push(line), ...options })
  return { ...rig, dlq, scans, recover, lines }
}

test('messages of a known type are recovered and those of an unknown type are kept', async () => {
  const { dlq, scans, fill, recover, lines, depth, drain } = await setup()
  const types = ['CollectionScan', 'Nonsense', undefined]
  await fill(dlq, 1_500, (index) => ({ headers: { MessageType: types[index % 3] } }))

  const [recovery] = await recover()

  expect(recovery).toMatchObject({ recovered: 500, failed: 0, skipped: 1_000, left: 1_000 })
  expect(await depth(dlq)).toBe(1_000)
  const recovered = await drain(scans)
  expect(recovered).toHaveLength(500)
  expect(recovered[0]?.headers).toMatchObject({ MessageType: 'CollectionScan', 'x-redriven-count': 1 })
  expect(lines.slice(0, 2)).toEqual([
    '🔄 Starting DLQ Recovery Service...',
    '⚠️  Found 1500 messages in DLQ. Starting recovery...',
  ])
  expect(lines.slice(lines.indexOf('📊 DLQ RECOVERY SUMMARY') - 1)).toEqual([
    '================================',
    '📊 DLQ RECOVERY SUMMARY',
    '================================',
    '✅ Total Recovered: 500 messages',
    '❌ Total Failed: 0 messages (kept in DLQ for retry)',
    '⚠️  Skipped Messages: 1000 (unknown type, kept in DLQ for manual review)',
    '',
    'Successfully Recovered By Queue:',
    '   collection.scan: 500',
    '================================',
    '⚠️  1000 messages still in DLQ (will retry on next startup)',
  ])
})

test('a message without a type goes by the routing key it died with', async () => {
  const { dlq, scans, fill, recover, depth } = await setup()
  const death = {
    queue: 'q',
    reason: 'rejected',
    count: 1,
    exchange: 'e',
    'routing-keys': ['collection.scan'],
  }
  await fill(dlq, 10, () => ({ headers: { 'x-death': [death] } }))

  const [recovery] = await recover()

  expect(recovery).toMatchObject({ recovered: 10, skipped: 0, left: 0 })
  expect(await depth(scans)).toBe(10)
})

test('the log tells a message without a type from one whose type or routing key has no route', async () => {
  const { dlq, fill, recover, lines } = await setup()
  const death = { queue: 'q', reason: 'rejected', count: 1, exchange: 'e', 'routing-keys': ['old.key'] }
  const headers = [{ MessageType: 'Mystery' }, { 'x-death': [death] }, {}]
  await fill(dlq, 3, (index) => ({ headers: headers[index]! }))

  await recover()

  expect(lines.filter((line) => line.includes('manual review.')).toSorted()).toEqual([
    '⚠️  Message has no MessageType or routing key. Keeping in DLQ for manual review.',
    '⚠️  Message has no MessageType, and its routing key old.key has no route. Keeping in DLQ for manual review.',
    '⚠️  MessageType=Mystery has no route. Keeping in DLQ for manual review.',
  ])
})

test('a message whose target is refused is not counted as one of unknown type, and the log says why it stays', async () => {
  const { dlq, fill, recover, lines, depth } = await setup()
  const routes = { CollectionScan: { exchange: 'nowhere', key: 'collection.scan' } }
  const types = ['CollectionScan', 'CollectionScan', 'Nonsense']
  await fill(dlq, 3, (index) => ({ headers: { MessageType: types[index] } }))

  const [recovery] = await recover({ types: { routes } })

  expect(recovery).toMatchObject({ recovered: 0, failed: 0, skipped: 1, left: 3 })
  expect(recovery?.keptBecause).toEqual([{ reason: 'target-refused', count: 2 }])
  expect(await depth(dlq)).toBe(3)
  expect(lines.filter((line) => line.includes('Keeping'))).toEqual(
    expect.arrayContaining([
      '⚠️  Keeping message in DLQ: its target was refused. MessageType=CollectionScan',
      '⚠️  MessageType=Nonsense has no route. Keeping in DLQ for manual review.',
    ]),
  )
  expect(lines).toContain('⚠️  Skipped Messages: 1 (unknown type, kept in DLQ for manual review)')
  expect(lines).toContain('⚠️  Kept Messages: 2 (its target was refused)')
  expect(lines).toContain('   There is no exchange "nowhere".')
})

test('a connection that is lost while it waits for more ends neither this queue nor the next', async () => {
  const proxy = await startProxy({ target: Number(new URL(broker.url).port) })
  onTestFinished(() => proxy.close())
  const { dlq, scans, management, declare, fill, recover, depth, lines } = await setup(
    proxy.urlFor(broker.url),
  )
  const next = `${dlq}-next`
  await declare(next)
  await fill(dlq, 20, () => ({ headers: { MessageType: 'CollectionScan' } }))
  await fill(next, 11, (index) => ({ headers: { MessageType: index < 10 ? 'CollectionScan' : 'Nonsense' } }))

  const recovering = recover({ queues: [dlq, next], timeouts: { idleMs: 50, emptyMs: 6_000 } })
  recovering.catch(() => {}) // a test that fails before it waits for it ends it
  // All are there and the lock is gone: the next count is one of those that wait for more.
  await eventually(async () => {
    expect(await depth(scans)).toBe(20)
    const queues = await management.queues.list({ vhost: broker.vhost })
    expect(queues.map(({ name }) => name)).not.toContain(lockName(dlq))
  })
  await proxy.cutAtFrame({ direction: 'to-broker', classId: 50, methodId: 10, where: 'after' })
  const recoveries = await recovering

  expect(recoveries.map(({ recovered, left, problem }) => [recovered, left, problem])).toEqual([
    [20, 0, undefined],
    [10, 1, undefined],
  ])
  expect(await depth(scans)).toBe(30)
  expect(lines.filter((line) => line.includes('SUMMARY'))).toHaveLength(2)
})

test('a queue that cannot be recovered is told and does not keep the next one from it', async () => {
  const { dlq, scans, fill, recover, depth, lines } = await setup()
  await fill(dlq, 5, () => ({ headers: { MessageType: 'CollectionScan' } }))

  const recoveries = await recover({ queues: ['missing', dlq] })

  expect(recoveries).toMatchObject([
    { queue: 'missing', recovered: 0, problem: expect.stringContaining('There is no queue "missing"') },
    { queue: dlq, recovered: 5, left: 0, problem: undefined },
  ])
  expect(await depth(scans)).toBe(5)
  expect(lines.filter((line) => line.includes('SUMMARY'))).toHaveLength(2)
  expect(lines.filter((line) => line.startsWith('DLQ: '))).toEqual(['DLQ: missing', `DLQ: ${dlq}`])
  await expect(recover({ queues: ['missing'] })).rejects.toMatchObject({ code: 'RECOVERY_QUEUE_NOT_FOUND' })
})

test('an empty queue is reported as empty', async () => {
  const { recover, lines } = await setup()

  const [recovery] = await recover()

  expect(recovery).toMatchObject({ recovered: 0, left: 0, receipt: undefined })
  expect(lines[1]).toBe('DLQ Empty ✅')
})

test('running it twice recovers nothing twice', async () => {
  const { dlq, scans, fill, recover, depth } = await setup()
  await fill(dlq, 100, () => ({ headers: { MessageType: 'CollectionScan' } }))

  const [first] = await recover()
  const [second] = await recover()

  expect([first?.recovered, second?.recovered]).toEqual([100, 0])
  expect(await depth(scans)).toBe(100)
})

test('messages that are kept are progress: who comes to a known one late is not taken for stalled', async () => {
  const { dlq, fill, recover, lines } = await setup()
  const unknown = 30
  await fill(dlq, unknown + 1, (index) => ({
    headers: { MessageType: index < unknown ? 'Nonsense' : 'CollectionScan' },
  }))
  // Each takes a while, and all of them together longer than a stall may.
  const log = (line: string): void => {
    lines.push(line)
    if (line.includes('has no route')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
  }

  const [recovery] = await recover({
    log,
    window: { messages: 1 },
    timeouts: { ...timeouts, stallMs: 5_000 },
  })

  expect(recovery).toMatchObject({ recovered: 1, skipped: unknown, left: unknown })
  expect(lines.join('\n')).not.toContain('No progress')
})

test('a queue that is deleted half way is told so, and not that it will be tried again', async () => {
  const { dlq, admin, fill, recover, lines } = await setup()
  await fill(dlq, 300, () => ({ headers: { MessageType: 'CollectionScan' } }))
  let deletion: Promise<unknown> | undefined

  const [recovery] = await recover({
    window: { messages: 1 },
    onProgress: () => {
      deletion ??= deleteQueue(admin, dlq)
    },
  })

  await deletion
  expect(recovery).toMatchObject({ left: 0, problem: expect.stringContaining(`There is no queue "${dlq}"`) })
  expect(recovery?.receipt).toMatchObject({ interruption: 'queue-deleted' })
  expect(recovery?.deleted).toBe(300 - recovery!.recovered)
  expect(lines).toContain(`❌ The DLQ was deleted meanwhile, and ${recovery!.deleted} messages with it`)
  expect(lines.join('\n')).not.toContain('will retry')
})

test('a stall may last longer than a timer can be set for', async () => {
  const { dlq, fill, recover, lines } = await setup()
  await fill(dlq, 10, () => ({ headers: { MessageType: 'CollectionScan' } }))
  const dayMs = 86_400_000

  const [recovery] = await recover({
    timeouts: { ...timeouts, stallMs: 30 * dayMs, totalMs: 60 * dayMs },
    maxHoldMs: 30 * dayMs,
  })

  expect(recovery).toMatchObject({ recovered: 10, left: 0, receipt: { outcome: 'done' } })
  expect(lines.join('\n')).not.toContain('No progress')
})
