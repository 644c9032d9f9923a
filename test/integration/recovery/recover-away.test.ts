import { expect, onTestFinished, test } from 'vitest'
import { declareQueue } from '../../../src/broker/amqp/operations.ts'
import { Session } from '../../../src/broker/amqp/session.ts'
import { Publisher } from '../../../src/publisher/publisher.ts'
import { type RecoverOptions, recoverQueues } from '../../../src/recovery/recover-queues.ts'
import { lockName } from '../../../src/recovery/take-lock.ts'
import { startEmbeddedBroker } from '../../../src/testing/index.ts'
import { toFieldTable } from '../../../src/wire/plain-fields.ts'
import { startProxy } from '../../support/start-proxy.ts'
import { unlimitedQuorum } from './recovery-rig.ts'

const quick = { backoff: { initialMs: 1, maxMs: 20 } }

/** A broker with six dead letters, behind a line that goes and does not come back. */
async function setup() {
  const broker = await startEmbeddedBroker()
  const proxy = await startProxy({ target: Number(new URL(broker.url).port) })
  const direct = await Session.open(broker.url, quick)
  const consuming = await Session.open(proxy.urlFor(broker.url), quick)
  const publishing = await Session.open(proxy.urlFor(broker.url), quick)
  onTestFinished(async () => {
    await Promise.all([direct, consuming, publishing].map((session) => session.close()))
    proxy.close()
    await broker.stop()
  })
  const channel = await direct.openChannel()
  const quorum = toFieldTable(unlimitedQuorum(direct.broker.version))
  for (const queue of ['dlq', 'work']) await declareQueue(channel, { queue, arguments: quorum })
  const publisher = new Publisher(direct)
  const headers = { MessageType: 'OrderPlaced' }
  for (let number = 0; number < 6; number += 1) {
    const messageId = `m-${number}`
    await publisher.publish({ key: 'dlq', body: messageId, messageId, headers })
  }
  const log: string[] = []
  const recover = (options: Partial<RecoverOptions>) =>
    recoverQueues({
      ...{ consuming, publishing, queues: ['dlq'], acceptDeliveryLimit: true },
      types: { routes: { OrderPlaced: { exchange: '', key: 'work' } } },
      log: (line) => log.push(line),
      window: { messages: 1 },
      ...options,
    })
  const goAway = (): void => {
    proxy.refuse()
    proxy.cutAll()
  }
  const depth = (queue: string) => broker.inspect(queue)?.counts.ready ?? 0
  const isLocked = () => broker.inspect(lockName('dlq')) !== undefined
  return { recover, goAway, depth, isLocked, log }
}

test('a recovery whose broker is away ends with its time, and says that it saw nothing', async () => {
  const { recover, goAway, log } = await setup()
  goAway()

  const recovery = recover({ timeouts: { totalMs: 100 } })

  await expect(recovery).rejects.toMatchObject({ code: 'RECOVERY_INTERRUPTED' })
  expect(log.join('\n')).toContain('DLQ not counted')
  expect(log).toContain('⚠️  The time of 100 ms for all queues is over. Ending...')
})

test('a recovery that stalls says so once, and leaves the rest', async () => {
  const { recover, depth, log } = await setup()

  const [recovery] = await recover({ timeouts: { stallMs: 1 } })

  expect(log.filter((line) => line.includes('No progress'))).toEqual([
    '⚠️  No progress in dlq for 1 ms. Ending...',
  ])
  expect(recovery?.receipt).toMatchObject({ outcome: 'cancelled', isBalanced: true })
  expect([depth('dlq'), depth('work')]).toEqual([recovery!.left, recovery!.recovered])
})

test('a recovery whose broker goes away in the middle ends with its time, and does not say that it counted', async () => {
  const { recover, goAway, depth, log } = await setup()
  const ending = new AbortController()

  const [recovery] = await recover({
    signal: ending.signal,
    onProgress: ({ recovered }) => {
      if (recovered !== 2) return
      goAway()
      ending.abort()
    },
  })

  expect(recovery).toMatchObject({ queue: 'dlq', isCounted: false, isBalanced: true, problem: undefined })
  expect(recovery!.recovered + recovery!.left).toBe(6)
  expect(depth('dlq') + depth('work')).toBeGreaterThanOrEqual(6)
  expect(log.join('\n')).toContain(`${recovery!.left} messages should still be in it`)
  expect(log.join('\n')).not.toContain('somebody else took messages')
})

test('a recovery whose broker goes away while it waits for more ends with its time', async () => {
  const { recover, goAway, depth, isLocked } = await setup()
  const ending = new AbortController()

  const [recovery] = await recover({
    timeouts: { emptyMs: 60_000 },
    signal: ending.signal,
    log: (line) => {
      if (!line.startsWith('Started DLQ consumer')) return
      const timer = setInterval(() => {
        if (depth('work') < 6 || isLocked()) return
        clearInterval(timer)
        goAway()
        ending.abort()
      }, 5)
    },
  })

  expect(recovery).toMatchObject({ recovered: 6, isCounted: false, left: 0 })
})
