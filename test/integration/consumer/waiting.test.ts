import { describe, expect, it, onTestFinished } from 'vitest'
import type { Clock } from '../../../packages/warrenmq/src/clock.ts'
import { defer } from '../../../packages/warrenmq/src/consumer/handler-answer.ts'
import { throttle } from '../../../packages/warrenmq/src/consumer/middleware/throttle.ts'
import { createVirtualClock } from '../../../packages/warrenmq/src/embedded/model/virtual-clock.ts'
import { startEmbeddedBroker } from '../../../packages/warrenmq/src/embedded/start-embedded-broker.ts'
import type { QueueDeclaration } from '../../../packages/warrenmq/src/topology/declaration.ts'
import { eventually } from '../../support/eventually.ts'
import { collect, createConsumerRig } from './consumer-rig.ts'

/** A broker and a consumer on one clock, which the test advances. */
async function setup(queue: QueueDeclaration, profile: '3.10' | '4.0' | '4.3' = '4.3') {
  const broker = await startEmbeddedBroker({ profile, clock: 'virtual' })
  onTestFinished(() => broker.stop())
  const rig = await createConsumerRig({ url: broker.url, declaration: { queues: { work: queue } } })
  const startMs = broker.clock.now()
  const tasks = createVirtualClock(startMs)
  const now = () => broker.clock.now()
  const clock: Clock = { now, schedule: (ms, task) => tasks.schedule(now() + ms - tasks.now(), task) }
  const advance = async (ms: number) => {
    await broker.clock.advance(ms, { held: 'pass' })
    while (tasks.step(now())) await broker.settled({ held: 'pass' })
    await broker.settled({ held: 'pass' })
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
    const consumer = await consume('work', () => undefined, { retryJitter: '10m', clock, random: () => 0.9 })
    const settled = collect(consumer, 'delivery.settled')

    await publisher.publish({ key: 'work', body: 'x' })

    await eventually(() => expect(settled).toHaveLength(1))
  })
})

describe('the broker’s acknowledgement time-out', () => {
  it('is never reached by a message that waits for a place: it is given back in time', async () => {
    const { consume, publisher, clock, advance, depth } = await setup({})
    const open = { failureRatio: 0.1, minimumResults: 1, openMs: 600 * minute, maxOpenMs: 600 * minute }
    const runs: unknown[] = []
    const consumer = await consume(
      'work',
      ({ body }) => {
        runs.push(body)
        throw new Error('down')
      },
      { concurrency: 1, prefetch: 2, breaker: open, clock },
    )
    const settled = collect(consumer, 'delivery.settled')
    await publisher.publish({ key: 'work', body: 'failing', messageId: 'm1' })
    await eventually(() => expect(consumer.breaker).toBe('open'))
    await publisher.publish({ key: 'work', body: 'behind', messageId: 'm2' })
    await eventually(() => expect(consumer.counts.waiting).toBe(1))

    await advance(24 * minute - 1)
    expect(settled.filter(({ outcome }) => outcome.kind === 'give-back')).toEqual([])
    await advance(1)

    // It comes again at once, with all of its time before it.
    await eventually(() => expect(settled.at(-1)?.outcome).toEqual({ kind: 'give-back' }))
    expect(settled.at(-1)?.durationMs).toBeUndefined()
    await eventually(() => expect(consumer.counts.waiting).toBeGreaterThan(0))
    expect(runs).toEqual(['failing'])
    expect(await depth('work.dlq')).toBe(0)
  })

  it('is never reached by a handler: a message whose turn comes too late is given back, and comes again', async () => {
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
      { concurrency: 1, prefetch: 2, timeout: '20m', clock },
    )
    const settled = collect(consumer, 'delivery.settled')
    await publisher.publish({ key: 'work', body: 'long' })
    await publisher.publish({ key: 'work', body: 'behind' })
    await eventually(() => expect(consumer.counts).toEqual({ running: 1, waiting: 1, held: 0 }))

    // Four of its 24 minutes are for waiting where its handler may take 20.
    await advance(4 * minute + 1)
    expect(settled).toEqual([])
    finish()

    await eventually(() => expect(runs).toEqual(['long', 'behind']))
    expect(settled).toMatchObject([{ outcome: { kind: 'acknowledge' } }, { outcome: { kind: 'give-back' } }])
    await advance(20 * minute - 1)
    expect(settled).toHaveLength(2)
    finish()
    await eventually(() => expect(settled).toHaveLength(3))
    expect(settled[2]).toMatchObject({ outcome: { kind: 'acknowledge' }, durationMs: 20 * minute - 1 })
    expect(await depth('work')).toBe(0)
  })

  it('leaves a message that is started in time all of its own', async () => {
    const { consume, publisher, clock, advance } = await setup({})
    const finish: (() => void)[] = []
    const consumer = await consume('work', () => new Promise<void>((resolve) => finish.push(resolve)), {
      concurrency: 1,
      prefetch: 2,
      timeout: '20m',
      clock,
    })
    const settled = collect(consumer, 'delivery.settled')
    await publisher.publish({ key: 'work', body: 'first' })
    await publisher.publish({ key: 'work', body: 'second' })
    await eventually(() => expect(consumer.counts).toEqual({ running: 1, waiting: 1, held: 0 }))

    await advance(4 * minute)
    finish[0]!()
    await eventually(() => expect(finish).toHaveLength(2))
    await advance(20 * minute - 1)
    expect(settled).toHaveLength(1)
    await advance(1)

    await eventually(() =>
      expect(settled.at(-1)?.outcome).toMatchObject({
        kind: 'retry',
        failure: { errorMessage: 'The handler of "work" did not end within 1200000 ms.' },
      }),
    )
  })

  it('ends a handler without a time-out of its own 24 minutes after the receipt of its message', async () => {
    const { consume, publisher, clock, advance } = await setup({})
    const finish: (() => void)[] = []
    const consumer = await consume('work', () => new Promise<void>((resolve) => finish.push(resolve)), {
      concurrency: 1,
      prefetch: 2,
      clock,
    })
    const settled = collect(consumer, 'delivery.settled')
    await publisher.publish({ key: 'work', body: 'first' })
    await publisher.publish({ key: 'work', body: 'second' })
    await eventually(() => expect(consumer.counts).toEqual({ running: 1, waiting: 1, held: 0 }))

    await advance(10 * minute)
    finish[0]!()
    await eventually(() => expect(finish).toHaveLength(2))
    await advance(14 * minute - 1)
    expect(settled).toHaveLength(1)
    await advance(1)

    await eventually(() =>
      expect(settled.at(-1)?.outcome).toMatchObject({
        kind: 'retry',
        failure: { errorMessage: 'The handler of "work" did not end within 840000 ms.' },
      }),
    )
  })

  it('keeps the order of a key whose messages are given back for it', async () => {
    const { consume, publisher, clock, advance } = await setup({})
    const runs: unknown[] = []
    let finish = (): void => {}
    const consumer = await consume(
      'work',
      ({ body }) => {
        runs.push(body)
        if (body !== 'k0') return undefined
        return new Promise<void>((resolve) => {
          finish = resolve
        })
      },
      { concurrency: 5, prefetch: 10, timeout: '20m', orderBy: () => 'k', clock },
    )
    const settled = collect(consumer, 'delivery.settled')
    const publish = (index: number) => publisher.publish({ key: 'work', body: `k${index}` })
    for (const index of [0, 1, 2]) await publish(index)
    await advance(3 * minute)
    await publish(3) // late enough to be started when those before it are not
    await eventually(() => expect(consumer.counts).toEqual({ running: 1, waiting: 3, held: 0 }))

    await advance(2 * minute)
    finish()

    await eventually(() => expect(runs).toEqual(['k0', 'k1', 'k2', 'k3']))
    expect(settled.filter(({ outcome }) => outcome.kind === 'give-back')).toHaveLength(3)
  })

  it.each(['3.10', '4.0', '4.3'] as const)(
    'makes no poison of a message that it made us give back time and again, on %s',
    async (profile) => {
      const { consume, publisher, clock, advance, depth } = await setup({ retry: false }, profile)
      const dueMs = clock.now() + 300 * minute
      const runs: unknown[] = []
      const consumer = await consume(
        'work',
        ({ body }) => {
          if (clock.now() < dueMs) return defer(new Date(dueMs))
          runs.push(body)
          return undefined
        },
        { concurrency: 1, prefetch: 2, clock },
      )
      const settled = collect(consumer, 'delivery.settled')

      await publisher.publish({ key: 'work', body: 'patient', messageId: 'm1' })
      await eventually(() => expect(consumer.counts.held).toBe(1))
      for (let passed = 0; passed < 300; passed += 4) await advance(4 * minute)

      await eventually(() => expect(runs).toEqual(['patient']))
      const givenBack = settled.filter(({ outcome }) => outcome.kind === 'give-back')
      expect(givenBack.length).toBeGreaterThan(10)
      expect(await depth('work.dlq')).toBe(0)
    },
  )

  it.each(['3.10', '4.0', '4.3'] as const)(
    'is never reached by a message whose dead-letter queue is gone: it is given back and parked later, on %s',
    async (profile) => {
      const { consume, publisher, clock, advance, admin, depth, drain } = await setup(
        { retry: false },
        profile,
      )
      const binding = { queue: 'work.dlq', exchange: 'work.dlq', routingKey: '', arguments: [] }
      let runs = 0
      const consumer = await consume(
        'work',
        () => {
          runs += 1
          throw new Error('no')
        },
        { clock },
      )
      const [failed, settled, interrupted] = [
        collect(consumer, 'settle.failed'),
        collect(consumer, 'delivery.settled'),
        collect(consumer, 'consumer.interrupted'),
      ]
      await admin.call({ name: 'queue.unbind', ...binding }, 'queue.unbind-ok')
      await publisher.publish({ key: 'work', body: 'kept', messageId: 'm1' })
      await eventually(() => expect(failed).toHaveLength(1))

      for (let passed = 0; passed < 90; passed += 1) await advance(minute)
      const givenBack = settled.filter(({ outcome }) => outcome.kind === 'give-back')
      expect(givenBack.length).toBeGreaterThan(1)
      expect(runs).toBeLessThanOrEqual(givenBack.length + 1) // and not in a hot loop
      expect(interrupted).toEqual([])
      await admin.call({ name: 'queue.bind', noWait: false, ...binding }, 'queue.bind-ok')
      await advance(minute)

      await eventually(() => expect(settled.at(-1)?.outcome.kind).toBe('dead-letter'))
      expect(await drain('work.dlq')).toMatchObject([{ id: 'm1', headers: { 'x-final-error': 'no' } }])
      expect(await depth('work')).toBe(0)
    },
  )

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

describe('a message that waits for its turn in a throttle', () => {
  it('has the whole time-out of its handler before it', async () => {
    const { consume, publisher, depth, clock, advance } = await setup({ retry: false })
    const handled: unknown[] = []
    const options = {
      concurrency: 5,
      timeout: '2s',
      middleware: [throttle({ perSecond: 1, clock })],
      clock,
    } as const
    const consumer = await consume('work', ({ body }) => void handled.push(body), options)
    const settled = collect(consumer, 'delivery.settled')
    const bodies = ['1', '2', '3', '4', '5']
    for (const body of bodies) await publisher.publish({ key: 'work', body, contentType: 'text/plain' })

    for (let turn = 1; turn <= 5; turn += 1) {
      await eventually(() => expect(settled).toHaveLength(turn))
      await advance(second)
    }

    expect(handled).toEqual(bodies)
    expect(settled.map(({ outcome }) => outcome.kind)).toEqual(bodies.map(() => 'acknowledge'))
    expect(await depth('work.dlq')).toBe(0)
  })
})
