import { expect, test } from 'vitest'
import { recoverQueues } from '../../../packages/warrenmq/src/recovery/recover/recover-queues.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createRecoveryRig, unlimitedQuorum } from './recovery-rig.ts'

const broker = await useBroker()
// Long enough for what is rejected to be back, and for a circle to be seen as one.
const timeouts = { totalMs: 20_000, idleMs: 1_000, emptyMs: 2_000 }

/** A live worker that rejects whatever it gets, and a recovery of its dead letters. */
async function setup(queues: readonly string[] = [namePerTry('poison.dlq')]) {
  const rig = await createRecoveryRig(broker)
  const work = namePerTry('poisoned')
  for (const queue of queues) await rig.declare(queue)
  await rig.declare(work, {
    ...unlimitedQuorum(broker.version),
    'x-dead-letter-exchange': '',
    'x-dead-letter-routing-key': queues.at(-1)!,
  })
  let rejected = 0
  await rig.admin.setPrefetch(50)
  await rig.admin.consume(work, (delivery) => {
    rejected += 1
    delivery.nack({ requeue: false })
  })
  const types = { routes: { Poison: { exchange: '', key: work } } }
  const lines: string[] = []
  const recover = (log: (line: string) => void = () => {}) =>
    recoverQueues({
      ...rig,
      queues,
      types,
      timeouts,
      log: (line) => {
        lines.push(line)
        log(line)
      },
    })
  return { ...rig, queues, work, lines, recover, rejectedCount: () => rejected }
}

const poison = { headers: { MessageType: 'Poison' } }

test('a message that is dead again is kept by the recovery that put it back, and counted once', async () => {
  const { queues, work, fill, recover, lines, depth, rejectedCount } = await setup()
  const [dlq] = queues as [string]
  await fill(dlq, 101, (index) => (index < 100 ? poison : { headers: { MessageType: 'Nonsense' } }))
  let late: Promise<void> | undefined

  const [recovery] = await recover((line) => {
    // One that was never tried comes into the queue beside those that were.
    if (line.includes('dead again.')) late ??= fill(dlq, 1, () => ({ ...poison, messageId: 'late' }))
  })

  await late
  expect(recovery).toMatchObject({ recovered: 101, failed: 0, skipped: 1, left: 102, isBalanced: true })
  expect(recovery?.keptBecause).toEqual([{ reason: 'dead-again', count: 101 }])
  expect(recovery?.recoveredByQueue).toEqual(new Map([[work, 101]]))
  expect(rejectedCount()).toBe(101)
  expect(await depth(dlq)).toBe(102)
  expect(lines).toContain('✅ Total Recovered: 101 messages')
  expect(lines).toContain('⚠️  Kept Messages: 101 (recovered by this run and dead again, counted in both)')
  expect(lines.join('\n')).not.toContain('is over')
})

test('what dies into the next queue of the same recovery is not tried again there', async () => {
  const { queues, fill, recover, rejectedCount } = await setup([
    namePerTry('poison.dlq'),
    namePerTry('poison.dlq'),
  ])
  await fill(queues[0]!, 20, () => poison)

  const recoveries = await recover()

  expect(recoveries).toMatchObject([
    { recovered: 20, left: 0 },
    { recovered: 0, left: 20, keptBecause: [{ reason: 'dead-again', count: 20 }] },
  ])
  expect(rejectedCount()).toBe(20)
})

test('the next recovery tries it once more', async () => {
  const { queues, fill, recover, rejectedCount } = await setup()
  await fill(queues[0]!, 5, () => poison)

  const [first] = await recover()
  const [second] = await recover()

  expect([first?.recovered, second?.recovered]).toEqual([5, 5])
  expect(rejectedCount()).toBe(10)
})
