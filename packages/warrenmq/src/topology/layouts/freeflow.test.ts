import { describe, expect, it } from 'vitest'
import { goldenLines, lineChanges } from '../../../../../test/support/golden-lines.ts'
import { compileTopology } from '../compile-topology.ts'
import type { QueueDeclaration, TopologyDeclaration } from '../declaration.ts'

const domains = ['user', 'auth', 'alarm', 'document', 'workflow', 'notification', 'audit']
const tiers = [
  ['30s', 30_000],
  ['5m', 300_000],
  ['30m', 1_800_000],
] as const
const declaration: TopologyDeclaration = {
  layout: 'freeflow',
  queues: Object.fromEntries(domains.map((domain): [string, QueueDeclaration] => [`freeflow.${domain}`, {}])),
}
const exact = (brokerVersion: string) =>
  goldenLines(compileTopology({ ...declaration, exact: true }, { brokerVersion }))
const hardened = (brokerVersion: string) => goldenLines(compileTopology(declaration, { brokerVersion }))

// "Summary" and "Delay Queues" of the document: seven domains, three tiers each.
const document = [
  'exchange freeflow.events topic',
  'exchange freeflow.events.retry direct',
  'exchange freeflow.events.dlx fanout',
  'queue freeflow.events.dlq classic',
  'bind freeflow.events.dlx -> freeflow.events.dlq key=',
  ...domains.flatMap((domain) => [
    `queue freeflow.${domain} classic x-dead-letter-exchange="freeflow.events.dlx"`,
    `bind freeflow.events -> freeflow.${domain} key=${domain}.*`,
    ...tiers.flatMap(([label, ttl]) => [
      `queue freeflow.${domain}.retry.${label} classic x-dead-letter-exchange="freeflow.events" x-dead-letter-routing-key="${domain}.retry" x-message-ttl=${ttl}`,
      `bind freeflow.events.retry -> freeflow.${domain}.retry.${label} key=${domain}.${label}`,
    ]),
  ]),
].sort()

describe('layout freeflow', () => {
  it.each(['3.10', '4.0', '4.3'])('exact is the document to the letter on %s', (version) => {
    expect(exact(version)).toEqual(document)
  })

  it.each([
    ['3.10', 'queue freeflow.events.dlq quorum'],
    ['4.0', 'queue freeflow.events.dlq quorum x-delivery-limit=-1'],
    ['4.3', 'queue freeflow.events.dlq quorum x-delivery-limit=-1'],
  ])('hardened on %s makes the queues quorum and the hops at-least-once', (version, dlq) => {
    const changes = lineChanges(exact(version), hardened(version)).filter((line) =>
      /^\+.*(user|dlq)/.test(line),
    )

    expect(changes).toContain(`+ ${dlq}`)
    expect(changes).toContain(
      '+ queue freeflow.user quorum x-dead-letter-exchange="freeflow.events.dlx" x-dead-letter-strategy="at-least-once" x-overflow="reject-publish"',
    )
    expect(changes).toContain(
      '+ queue freeflow.user.retry.5m quorum x-dead-letter-exchange="freeflow.events" x-dead-letter-routing-key="user.retry" x-dead-letter-strategy="at-least-once" x-message-ttl=300000 x-overflow="reject-publish"',
    )
  })

  it('takes a namespace, and domains whose queues live elsewhere', () => {
    const layout = { name: 'freeflow', namespace: 'acme', domains: ['mail'] } as const
    const lines = goldenLines(compileTopology({ layout, exact: true, queues: {} }, { brokerVersion: '4.0' }))

    expect(lines).toContain('bind acme.events.retry -> acme.mail.retry.30s key=mail.30s')
    expect(lines).toContain('exchange acme.events topic')
    expect(lines).toContain('queue acme.events.dlq classic')
  })

  it('a queue of any name serves the domain that it names', () => {
    const queues = { 'user-service': { domain: 'user' } }
    const lines = goldenLines(
      compileTopology({ layout: 'freeflow', exact: true, queues }, { brokerVersion: '4.0' }),
    )

    expect(lines).toContain('bind freeflow.events -> user-service key=user.*')
    expect(lines).toContain('bind freeflow.events.retry -> freeflow.user.retry.30s key=user.30s')
  })

  it('states its flow: publish to the tier with the key of the delay, count in x-retry-count', () => {
    const [flow] = compileTopology(declaration, { brokerVersion: '4.0' }).flows

    expect(flow).toMatchObject({
      retry: {
        kind: 'publish',
        scheduleMs: [30_000, 300_000, 1_800_000],
        tiers: [
          {
            delayMs: 30_000,
            exchange: 'freeflow.events.retry',
            key: 'user.30s',
            queue: 'freeflow.user.retry.30s',
          },
          {
            delayMs: 300_000,
            exchange: 'freeflow.events.retry',
            key: 'user.5m',
            queue: 'freeflow.user.retry.5m',
          },
          {
            delayMs: 1_800_000,
            exchange: 'freeflow.events.retry',
            key: 'user.30m',
            queue: 'freeflow.user.retry.30m',
          },
        ],
      },
      park: { kind: 'publish', exchange: 'freeflow.events.dlx' },
      attempts: { kind: 'header', header: 'x-retry-count' },
      maxAttempts: 4,
      deadLetterQueue: 'freeflow.events.dlq',
    })
  })

  it('the exact form parks by rejecting, as the document says', () => {
    const [flow] = compileTopology({ ...declaration, exact: true }, { brokerVersion: '4.0' }).flows

    expect(flow?.park).toEqual({ kind: 'reject' })
  })
})
