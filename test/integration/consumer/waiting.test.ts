import { describe, expect, it, onTestFinished } from 'vitest'
import type { Clock } from '../../../src/clock.ts'
import { defer } from '../../../src/consumer/handler-answer.ts'
import { createVirtualClock } from '../../../src/embedded/model/virtual-clock.ts'
import { startEmbeddedBroker } from '../../../src/embedded/start-embedded-broker.ts'
import type { QueueDeclaration } from '../../../src/topology/declaration.ts'
import { eventually } from '../../support/eventually.ts'
import { collect, createConsumerRig } from './consumer-rig.ts'

/** A broker and a consumer on one clock, which the test advances. */
async function setup(queue: QueueDeclaration) {
  const broker = await startEmbeddedBroker({ clock: 'virtual' })
  onTestFinished(() => broker.stop())
  const rig = await createConsumerRig({ url: broker.url, declaration: { queues: { work: queue } } })
  const startMs = broker.clock.now()
  const tasks = createVirtualClock(startMs)
  const now = () => broker.clock.now()
  const clock: Clock = { now, schedule: (ms, task) => tasks.schedule(now() + ms - tasks.now(), task) }
  const advance = async (ms: number) => {
    await broker.clock.advance(ms)
    while (tasks.step(now())) await broker.settled()
    await broker.settled()
  }
  return { ...rig, broker, clock, advance, elapsedMs: () => now() - startMs }
}

const second = 1_000
const minute = 60 * second

describe('jitter', () => {
  it.each([
    [0, 30 * second],
    [0.5, 35 * second],
    [0.999, 39_990],
  ])(
    'of 10 s with the random number %d lets a retry of 30 s wait %d ms, never less',
    async (random, waitMs) => {
      const { consume, publisher, clock, advance, elapsedMs } = await setup({
        retry: { delays: ['30s'], maxAttempts: 2 },
      })
      const runs: { attempt: number; afterMs: number }[] = []
      const options = {
        concurrency: 1,
        prefetch: 2,
        retryJitter: '10s',
        clock,
        random: () => random,
      } as const
      const consumer = await consume(
        'work',
        (_, { attempt }) => {
          runs.push({ attempt, afterMs: elapsedMs() })
          if (attempt === 1) throw new Error('not yet')
        },
        options,
      )
      const settled = collect(consumer, 'delivery.settled')

      await publisher.publish({ key: 'work', body: 'x' })
      await eventually(() => expect(settled).toHaveLength(1))
      await advance(30 * second)
      if (waitMs > 30 * second) {
        await eventually(() => expect(consumer.counts.held).toBe(1))
        await advance(waitMs - 30 * second - 1)
        expect(runs).toHaveLength(1)
        await advance(1)
      }

      await eventually(() => expect(settled).toHaveLength(2))
      expect(runs).toEqual([
        { attempt: 1, afterMs: 0 },
        { attempt: 2, afterMs: waitMs },
      ])
    },
  )

  it('does not touch a message that has not failed', async () => {
    const { consume, publisher, clock } = await setup({})
    const consumer = await consume('work', () => undefined, { retryJitter: '1h', clock, random: () => 0.9 })
    const settled = collect(consumer, 'delivery.settled')

    await publisher.publish({ key: 'work', body: 'x' })

    await eventually(() => expect(settled).toHaveLength(1))
  })
})

describe('the broker’s acknowledgement time-out', () => {
  it('is never reached by a message that waits for a place: it is given back in time', async () => {
    const { consume, publisher, clock, advance, depth } = await setup({})
    let finish = (): void => {}
    const runs: unknown[] = []
    const consumer = await consume(
      'work',
      ({ body }) => {
        runs.push(body)
        return new Promise<void>((resolve) => {
          finish = resolve
        })
      },
      { concurrency: 1, prefetch: 2, timeout: '2h', clock },
    )
    const settled = collect(consumer, 'delivery.settled')
    await publisher.publish({ key: 'work', body: 'long' })
    await publisher.publish({ key: 'work', body: 'behind' })
    await eventually(() => expect(consumer.counts).toEqual({ running: 1, waiting: 1, held: 0 }))

    await advance(24 * minute - 1)
    expect(settled).toEqual([])
    await advance(1)

    // It comes again at once, with all of its time before it.
    await eventually(() => expect(settled).toMatchObject([{ outcome: { kind: 'give-back' } }]))
    await eventually(() => expect(consumer.counts).toEqual({ running: 1, waiting: 1, held: 0 }))
    expect(runs).toEqual(['long'])
    finish()
    await eventually(() => expect(runs).toEqual(['long', 'behind']))
    finish()
    await eventually(async () => expect(await depth('work')).toBe(0))
  })

  it('is never reached by a message that is deferred for longer, even where there is no wait queue', async () => {
    const { consume, publisher, clock, advance, elapsedMs } = await setup({ deadLetter: false })
    const dueMs = clock.now() + 120 * minute
    const runs: number[] = []
    const consumer = await consume(
      'work',
      () => {
        if (clock.now() < dueMs) return defer(new Date(dueMs))
        runs.push(elapsedMs() / minute)
        return undefined
      },
      { concurrency: 1, prefetch: 2, poisonLimit: false, clock },
    )
    const interrupted = collect(consumer, 'consumer.interrupted')
    const settled = collect(consumer, 'delivery.settled')

    await publisher.publish({ key: 'work', body: 'x' })
    await eventually(() => expect(consumer.counts.held).toBe(1))
    for (let passed = 0; passed < 120; passed += 1) await advance(minute)

    await eventually(() => expect(runs).toEqual([120]))
    expect(interrupted).toEqual([])
    expect(settled.map(({ outcome }) => outcome.kind)).toEqual([
      ...Array.from({ length: 5 }, () => 'give-back'),
      'acknowledge',
    ])
  })
})
