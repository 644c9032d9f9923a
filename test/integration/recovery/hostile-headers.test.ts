import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import amqplib from 'amqplib'
import { expect, onTestFinished, test } from 'vitest'
import { namePerTry } from '../../support/name-per-try.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createCommandRig } from './command-rig.ts'
import { createRecoveryRig } from './recovery-rig.ts'

const broker = await useBroker()
const large = 9_007_199_254_740_993n
const nested = (depth: number): unknown => (depth === 0 ? null : [nested(depth - 1)])

/** One plain message, one with a large number in a list, one with headers that are too deep for most readers. */
async function setup() {
  const rig = await createRecoveryRig(broker)
  const [work, dlq] = [namePerTry('work'), namePerTry('dlq')]
  await rig.declareWork(work, dlq)
  await rig.declare(dlq)
  const hostile = [{}, { x: [large] }]
  await rig.fill(dlq, hostile.length, (index) => ({
    headers: { 'x-original-queue': work, ...hostile[index] },
  }))
  await publishDeep(dlq, { 'x-original-queue': work })
  const folder = await mkdtemp(join(tmpdir(), 'warren-hostile-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return { ...rig, work, dlq, backup: join(folder, 'a.backup'), ...createCommandRig(broker) }
}

/** By a client that sends what Warren's own publisher refuses. */
async function publishDeep(queue: string, headers: Record<string, unknown>): Promise<void> {
  const connection = await amqplib.connect(broker.url)
  const channel = await connection.createConfirmChannel()
  const deep = { ...headers, x: nested(200), 'x-retry-count': nested(200) }
  channel.sendToQueue(queue, Buffer.from('2'), { messageId: 'm-2', persistent: true, headers: deep })
  await channel.waitForConfirms()
  await connection.close()
}

test('a filter on a header that holds a large number or is deep keeps nobody from looking', async () => {
  const { dlq, pipe } = await setup()

  const [peek, causes] = [
    await pipe('peek', dlq, '--where', `header.x:[${large}]`, '--json'),
    await pipe('causes', dlq, '--where', 'header.x!=1', '--json'),
  ]

  expect(peek).toMatchObject({ exitCode: 0 })
  expect(JSON.parse(peek.stdout)).toMatchObject({ messages: [{ id: 'm-1' }] })
  expect(causes).toMatchObject({ exitCode: 0 })
  expect(JSON.parse(causes.stdout)).toMatchObject({ causes: [{ count: 3 }] })
})

test('a discard and a re-drive go past such messages', async () => {
  const { dlq, work, depth, pipe, backup } = await setup()

  const moved = await pipe('redrive', dlq, '--where', 'header.x!=1', '--limit', '2', '--yes', '--json')
  const discarded = await pipe(
    'discard',
    dlq,
    '--where',
    'not header.x:1',
    '--out',
    backup,
    '--yes',
    '--json',
  )

  expect(JSON.parse(moved.stdout)).toMatchObject({ outcome: 'done', moved: 2 })
  expect(JSON.parse(discarded.stdout)).toMatchObject({ removed: 1 })
  expect([await depth(dlq), await depth(work)]).toEqual([0, 2])
})
