import { describe, expect, it } from 'vitest'
import { goldenLines, lineChanges } from '../../../../../test/support/golden-lines.ts'
import { compileTopology } from '../compile-topology.ts'
import type { TopologyDeclaration } from '../declaration.ts'
import { prefixOf } from './event-bus.ts'

const declaration: TopologyDeclaration = {
  layout: 'event-bus',
  queues: { 'wms-cincout': {}, 'wms-stock': {}, noprefix: {} },
}
const exact = (brokerVersion: string) =>
  goldenLines(compileTopology({ ...declaration, exact: true }, { brokerVersion }))
const hardened = (brokerVersion: string) => goldenLines(compileTopology(declaration, { brokerVersion }))

// The tables "Queue Configuration" and "Exchange Configuration" of the document, for three services.
const document = [
  'bind default.main-exchange -> default.queue.noprefix key=',
  'bind default.retry-exchange.noprefix -> default.retry-queue.noprefix key=retry',
  'bind wms.main-exchange -> wms.queue.wms-cincout key=',
  'bind wms.main-exchange -> wms.queue.wms-stock key=',
  'bind wms.retry-exchange.wms-cincout -> wms.retry-queue.wms-cincout key=retry',
  'bind wms.retry-exchange.wms-stock -> wms.retry-queue.wms-stock key=retry',
  'exchange default.main-exchange fanout',
  'exchange default.retry-exchange.noprefix direct',
  'exchange wms.main-exchange fanout',
  'exchange wms.retry-exchange.wms-cincout direct',
  'exchange wms.retry-exchange.wms-stock direct',
  'queue default.dlq.noprefix classic',
  'queue default.queue.noprefix classic x-dead-letter-exchange="default.retry-exchange.noprefix" x-dead-letter-routing-key="retry"',
  'queue default.retry-queue.noprefix classic x-dead-letter-exchange="" x-dead-letter-routing-key="default.queue.noprefix" x-message-ttl=5000',
  'queue wms.dlq.wms-cincout classic',
  'queue wms.dlq.wms-stock classic',
  'queue wms.queue.wms-cincout classic x-dead-letter-exchange="wms.retry-exchange.wms-cincout" x-dead-letter-routing-key="retry"',
  'queue wms.queue.wms-stock classic x-dead-letter-exchange="wms.retry-exchange.wms-stock" x-dead-letter-routing-key="retry"',
  'queue wms.retry-queue.wms-cincout classic x-dead-letter-exchange="" x-dead-letter-routing-key="wms.queue.wms-cincout" x-message-ttl=5000',
  'queue wms.retry-queue.wms-stock classic x-dead-letter-exchange="" x-dead-letter-routing-key="wms.queue.wms-stock" x-message-ttl=5000',
]

const atLeastOnce = 'x-dead-letter-strategy="at-least-once"'
const rejectPublish = 'x-overflow="reject-publish"'

describe('layout event-bus', () => {
  it.each([
    ['wms-cincout', 'wms'],
    ['xyz-service', 'xyz'],
    ['noprefix', 'default'],
    ['a-b-c', 'a'],
    ['-odd', 'default'],
  ])('the prefix of %s is %s', (service, prefix) => {
    expect(prefixOf(service)).toBe(prefix)
  })

  it.each(['3.10', '4.0', '4.3'])('exact is the document to the letter on %s', (version) => {
    expect(exact(version)).toEqual(document)
  })

  it.each([
    ['3.10', ''],
    ['4.0', 'x-delivery-limit=-1 '],
    ['4.3', 'x-delivery-limit=-1 '],
  ])(
    'hardened on %s makes all three queues of a service quorum and the hops at-least-once',
    (version, unlimited) => {
      const changes = lineChanges(exact(version), hardened(version)).filter((line) =>
        /^\+.*noprefix/.test(line),
      )

      expect(changes).toEqual([
        `+ queue default.dlq.noprefix quorum ${unlimited}`.trim(),
        `+ queue default.queue.noprefix quorum x-dead-letter-exchange="default.retry-exchange.noprefix" x-dead-letter-routing-key="retry" ${atLeastOnce} ${unlimited}${rejectPublish}`,
        `+ queue default.retry-queue.noprefix quorum x-dead-letter-exchange="" x-dead-letter-routing-key="default.queue.noprefix" ${atLeastOnce} x-message-ttl=5000 ${rejectPublish}`,
      ])
    },
  )

  it('states its flow: ten retries, parked through the default exchange, re-driven to all', () => {
    const [flow] = compileTopology({ ...declaration, exact: true }, { brokerVersion: '3.10' }).flows

    expect(flow).toMatchObject({
      name: 'wms-cincout',
      queue: 'wms.queue.wms-cincout',
      retry: { kind: 'reject', delayMs: 5_000, waitQueue: 'wms.retry-queue.wms-cincout' },
      defer: { short: 'sleep-and-requeue', tiers: [] },
      park: { kind: 'publish', exchange: '', key: 'wms.dlq.wms-cincout' },
      attempts: { kind: 'rejections', queue: 'wms.queue.wms-cincout' },
      maxAttempts: 11,
      redrive: { exchange: 'wms.main-exchange' },
    })
  })

  it('a hardened queue holds a short deferral instead of requeueing it', () => {
    const [flow] = compileTopology(declaration, { brokerVersion: '4.0' }).flows

    expect(flow?.defer.short).toBe('hold')
  })
})
