import { describe, expect, it } from 'vitest'
import { goldenLines, lineChanges } from '../../../../../test/support/golden-lines.ts'
import { compileTopology } from '../compile-topology.ts'
import type { TopologyDeclaration } from '../declaration.ts'

const declaration: TopologyDeclaration = {
  layout: 'ratatoskr',
  exchanges: { events: { type: 'topic' } },
  queues: {
    'my-service.events': {
      bind: [{ exchange: 'events', key: 'order.*' }],
      retry: { delays: ['10s'], maxRetries: 3 },
    },
  },
}
const exact = (brokerVersion: string) =>
  goldenLines(compileTopology({ ...declaration, exact: true }, { brokerVersion }))
const hardened = (brokerVersion: string) => goldenLines(compileTopology(declaration, { brokerVersion }))

// The section "Queue Configuration" of the document, one line for each of its tables.
const document = [
  'bind events -> my-service.events key=order.*',
  'bind my-service.events.dlq -> my-service.events.dlq key=',
  'exchange events topic',
  'exchange my-service.events.dlq fanout',
  'queue my-service.events quorum x-dead-letter-exchange="" x-dead-letter-routing-key="my-service.events.retry"',
  'queue my-service.events.dlq quorum',
  'queue my-service.events.retry quorum x-dead-letter-exchange="" x-dead-letter-routing-key="my-service.events" x-message-ttl=10000',
]

describe('layout ratatoskr', () => {
  it.each(['3.10', '4.0', '4.3'])('exact is the document to the letter on %s', (version) => {
    expect(exact(version)).toEqual(document)
  })

  it('hardened adds at-least-once hops on 3.10 and says nothing of delivery limits there', () => {
    const changes = lineChanges(exact('3.10'), hardened('3.10')).filter((line) => line.startsWith('+'))

    expect(changes).toEqual([
      '+ queue my-service.events quorum x-dead-letter-exchange="" x-dead-letter-routing-key="my-service.events.retry" x-dead-letter-strategy="at-least-once" x-overflow="reject-publish"',
      '+ queue my-service.events.retry quorum x-dead-letter-exchange="" x-dead-letter-routing-key="my-service.events" x-dead-letter-strategy="at-least-once" x-message-ttl=10000 x-overflow="reject-publish"',
    ])
  })

  it.each(['4.0', '4.3'])(
    'hardened on %s also lifts the delivery limit of the work queue and of the DLQ',
    (version) => {
      const changes = lineChanges(exact(version), hardened(version)).filter((line) => line.startsWith('+'))

      expect(changes).toEqual([
        '+ queue my-service.events quorum x-dead-letter-exchange="" x-dead-letter-routing-key="my-service.events.retry" x-dead-letter-strategy="at-least-once" x-delivery-limit=-1 x-overflow="reject-publish"',
        '+ queue my-service.events.dlq quorum x-delivery-limit=-1',
        '+ queue my-service.events.retry quorum x-dead-letter-exchange="" x-dead-letter-routing-key="my-service.events" x-dead-letter-strategy="at-least-once" x-message-ttl=10000 x-overflow="reject-publish"',
      ])
    },
  )

  it('states its flow: reject into the wait queue, park by publish to the fanout exchange', () => {
    const [flow] = compileTopology(declaration, { brokerVersion: '4.0' }).flows

    expect(flow).toMatchObject({
      queue: 'my-service.events',
      retry: { kind: 'reject', delayMs: 10_000, waitQueue: 'my-service.events.retry' },
      park: { kind: 'publish', exchange: 'my-service.events.dlq' },
      attempts: {
        kind: 'rejections',
        queue: 'my-service.events',
        baseHeader: 'warren-attempts',
        retriesHeader: 'x-retry-count',
      },
      maxAttempts: 4,
      redrive: {
        origin: { exchange: '', key: 'my-service.events' },
        retry: { exchange: '', key: 'my-service.events.retry' },
        exchange: 'events',
      },
      deadLetterQueue: 'my-service.events.dlq',
    })
  })
})
