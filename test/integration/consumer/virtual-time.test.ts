import { describe, expect, it, onTestFinished } from 'vitest'
import type { HandlerContext } from '../../../packages/warrenmq/src/consumer/handler.ts'
import { startEmbeddedBroker } from '../../../packages/warrenmq/src/embedded/start-embedded-broker.ts'
import type { TopologyDeclaration } from '../../../packages/warrenmq/src/topology/declaration.ts'
import { eventually } from '../../support/eventually.ts'
import { collect, createConsumerRig } from './consumer-rig.ts'

// Acks of a small prefetch leave at once: one that waited 2 ms for company would be half an hour late here.
const prompt = { concurrency: 1, prefetch: 1 }
const profiles = ['3.10', '4.0', '4.3'] as const

async function setup(profile: (typeof profiles)[number], declaration: TopologyDeclaration) {
  const broker = await startEmbeddedBroker({ profile, clock: 'virtual' })
  onTestFinished(() => broker.stop())
  const rig = await createConsumerRig({ url: broker.url, declaration })
  const startMs = broker.clock.now()
  const seen: { attempt: number; afterMs: number }[] = []
  const fail = (_: unknown, { attempt }: HandlerContext): never => {
    seen.push({ attempt, afterMs: broker.clock.now() - startMs })
    throw new Error(`attempt ${attempt} fails`)
  }
  return { ...rig, broker, seen, fail }
}

describe.each(profiles)('on RabbitMQ %s, in virtual time', (profile) => {
  it('FreeFlow climbs its ladder of 30 s, 5 m and 30 m and ends in the shared DLQ', async () => {
    const { broker, consume, publisher, fail, seen, drain, depth } = await setup(profile, {
      layout: 'freeflow',
      queues: { 'freeflow.user': {} },
    })
    const consumer = await consume('freeflow.user', fail, prompt)
    const settled = collect(consumer, 'delivery.settled')

    await publisher.publish({ exchange: 'freeflow.events', key: 'user.created', body: 'u1', messageId: 'u1' })
    await eventually(() => expect(settled).toHaveLength(1))
    for (const [rung, wait] of ['30s', '5m', '30m'].entries()) {
      await broker.clock.advance(wait)
      await eventually(() => expect(settled).toHaveLength(rung + 2))
    }

    expect(seen).toEqual([
      { attempt: 1, afterMs: 0 },
      { attempt: 2, afterMs: 30_000 },
      { attempt: 3, afterMs: 330_000 },
      { attempt: 4, afterMs: 2_130_000 },
    ])
    expect(await depth('freeflow.user')).toBe(0)
    expect(await drain('freeflow.events.dlq')).toMatchObject([
      {
        id: 'u1',
        headers: {
          'x-retry-count': 4,
          'x-original-exchange': 'freeflow.events',
          'x-original-routing-key': 'user.created',
          'x-final-retry-count': 3,
        },
      },
    ])
  })

  it.each([true, false])(
    'event-bus retries ten times, 5 s apart, then moves to its DLQ (exact: %s)',
    async (exact) => {
      const { broker, consume, publisher, fail, seen, drain } = await setup(profile, {
        layout: 'event-bus',
        exact,
        queues: { 'wms-cincout': {} },
      })
      const consumer = await consume('wms-cincout', fail, prompt)
      const settled = collect(consumer, 'delivery.settled')

      await publisher.publish({ exchange: 'wms.main-exchange', key: '', body: 'm1', messageId: 'm1' })
      await eventually(() => expect(settled).toHaveLength(1))
      for (let retries = 1; retries <= 10; retries += 1) {
        await broker.clock.advance('5s')
        await eventually(() => expect(settled).toHaveLength(retries + 1))
      }

      expect(seen.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
      expect(seen.at(-1)?.afterMs).toBe(50_000)
      expect(await drain('wms.dlq.wms-cincout')).toMatchObject([
        {
          id: 'm1',
          headers: {
            'x-original-queue': 'wms.queue.wms-cincout',
            'x-final-error': 'attempt 11 fails',
            'x-final-retry-count': 10,
            'warren-reason': 'attempts-exhausted',
          },
        },
      ])
    },
  )

  it('a dead letter of event-bus that is put back goes on counting, and fails only once more', async () => {
    const { broker, consume, publisher, fail, seen, drain, admin } = await setup(profile, {
      layout: 'event-bus',
      queues: { 'wms-cincout': { retry: { maxAttempts: 2 } } },
    })
    const consumer = await consume('wms-cincout', fail, prompt)
    const settled = collect(consumer, 'delivery.settled')
    await publisher.publish({ key: 'wms.queue.wms-cincout', body: 'm1', messageId: 'm1' })
    await eventually(() => expect(settled).toHaveLength(1))
    await broker.clock.advance('5s')
    await eventually(() => expect(settled).toHaveLength(2))

    const dead = await admin.get('wms.dlq.wms-cincout')
    publisher.publishEncoded({ ...dead!, exchange: '', key: 'wms.queue.wms-cincout' }, () => dead!.ack())

    await eventually(() => expect(settled).toHaveLength(3))
    expect(seen.map(({ attempt }) => attempt)).toEqual([1, 2, 3])
    expect(settled.at(-1)?.outcome.kind).toBe('dead-letter')
    await eventually(async () => expect(await drain('wms.dlq.wms-cincout')).toHaveLength(1))
  })
})
