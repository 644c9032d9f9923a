import { expect, onTestFinished, test } from 'vitest'
import { lockName } from '../../../packages/warrenmq/src/recovery/lock/take-lock.ts'
import {
  type RecoverOptions,
  recoverQueues,
} from '../../../packages/warrenmq/src/recovery/recover/recover-queues.ts'
import { type BrokerProxy, startProxy } from '../../support/start-proxy.ts'
import { createEmbeddedRig } from './embedded-rig.ts'

/** A broker with six dead letters, behind a connection that goes and does not come back. */
async function setup() {
  let proxy: BrokerProxy | undefined
  const through = async (url: string) => {
    proxy ??= await startProxy({ target: Number(new URL(url).port) })
    return proxy.urlFor(url)
  }
  const headers = { MessageType: 'OrderPlaced' }
  const rig = await createEmbeddedRig({ headers, consumingUrl: through, publishingUrl: through })
  onTestFinished(() => proxy!.close())
  const { broker, consuming, publishing, depth } = rig
  const log: string[] = []
  const recover = (options: Partial<RecoverOptions>) =>
    recoverQueues({
      consuming,
      publishing,
      queues: ['dlq'],
      acceptDeliveryLimit: true,
      types: { routes: { OrderPlaced: { exchange: '', key: 'work' } } },
      log: (line) => log.push(line),
      window: { messages: 1 },
      ...options,
    })
  const goAway = (): void => {
    proxy!.refuse()
    proxy!.cutAll()
  }
  /** The connection stays up, and nothing comes through it any more. */
  const fallSilent = (): void => proxy!.swallow('both')
  const isLocked = () => broker.inspect(lockName('dlq')) !== undefined
  return { recover, broker, goAway, fallSilent, depth, isLocked, log }
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

test('a recovery whose broker stays away in the middle says that it waits, and ends with a stall', async () => {
  const { recover, goAway, log } = await setup()

  const [recovery] = await recover({
    timeouts: { stallMs: 1_500 },
    onProgress: ({ recovered }) => {
      if (recovered === 2) goAway()
    },
  })

  expect(recovery).toMatchObject({ isCounted: false, isBalanced: true })
  expect(recovery!.recovered + recovery!.left).toBe(6)
  const waiting = '⚠️  Waiting for the broker...'
  const stalled = '⚠️  No progress in dlq for 1500 ms. Ending...'
  expect(log.filter((line) => line === waiting || line === stalled)).toEqual([waiting, stalled])
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

/** A little more than the two to three seconds in which a run that is told to stop has to. */
const soon = 7_000

test.each(['stallMs', 'totalMs'] as const)(
  'a recovery ends with its %s although an alarm goes on',
  { timeout: soon },
  async (name) => {
    const { recover, broker, depth } = await setup()
    onTestFinished(() => broker.faults.unblock())

    const [recovery] = await recover({
      timeouts: { [name]: 500 },
      onProgress: ({ recovered }) => {
        if (recovered === 2) broker.faults.block('memory')
      },
    })

    expect(recovery!.recovered + recovery!.left).toBe(6)
    expect(depth('work')).toBeGreaterThanOrEqual(recovery!.recovered)
  },
)

test.each(['stallMs', 'totalMs'] as const)(
  'a recovery ends with its %s although the broker says nothing any more',
  { timeout: soon },
  async (name) => {
    const { recover, fallSilent, depth, log } = await setup()

    const [recovery] = await recover({
      timeouts: { [name]: 500 },
      onProgress: ({ recovered }) => {
        if (recovered === 2) fallSilent()
      },
    })

    expect(recovery).toMatchObject({ isCounted: false })
    expect(recovery!.recovered + recovery!.left).toBe(6)
    expect(depth('work') - recovery!.recovered).toBeLessThanOrEqual(recovery!.duplicatesPossible)
    expect(log.join('\n')).toContain('DLQ not counted')
  },
)

test('a recovery whose broker says nothing from the start ends with a stall', { timeout: soon }, async () => {
  const { recover, fallSilent } = await setup()
  fallSilent()

  await expect(recover({ timeouts: { stallMs: 500 } })).rejects.toMatchObject({
    code: 'RECOVERY_INTERRUPTED',
  })
})

test('a broker that falls silent while more is waited for ends the wait with a stall', {
  timeout: soon,
}, async () => {
  const { recover, fallSilent, depth, isLocked } = await setup()

  const [recovery] = await recover({
    timeouts: { emptyMs: 60_000, stallMs: 500 },
    log: (line) => {
      if (!line.startsWith('Started DLQ consumer')) return
      const timer = setInterval(() => {
        if (depth('work') < 6 || isLocked()) return
        clearInterval(timer)
        fallSilent()
      }, 5)
    },
  })

  expect(recovery).toMatchObject({ recovered: 6, isCounted: false, left: 0 })
})
