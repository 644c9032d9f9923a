import { describe, expect, it } from 'vitest'
import { compileTopology } from '../compile-topology.ts'
import type { TopologyDeclaration } from '../declaration.ts'
import { type LayoutName, layoutNames } from '../layouts/layout-names.ts'
import { proveTopology } from './prove-topology.ts'

const versions = ['3.10', '3.12', '3.13.3', '4.0', '4.1', '4.3']

function declare(layout: LayoutName): TopologyDeclaration {
  const exchanges = { events: { type: 'topic' } } as const
  const bind = [{ exchange: 'events', key: 'order.*' }]
  if (layout === 'event-bus') return { layout, queues: { 'wms-a': {}, 'wms-b': {} } }
  if (layout === 'freeflow') return { layout, queues: { 'freeflow.user': {}, 'freeflow.auth': {} } }
  return { layout, exchanges, queues: { 'billing.orders': { bind }, 'stock.orders': { bind } } }
}

const prove = (declaration: TopologyDeclaration, brokerVersion: string) =>
  proveTopology(compileTopology(declaration, { brokerVersion }))
const codes = (declaration: TopologyDeclaration, brokerVersion: string) =>
  prove(declaration, brokerVersion).findings.map(
    ({ property, code, queue }) => `${queue}: ${property}/${code}`,
  )

describe('the proof of the layouts', () => {
  it.each(layoutNames.flatMap((layout) => versions.map((version) => [layout, version] as const)))(
    'hardened %s holds on %s',
    (layout, version) => {
      const proof = prove(declare(layout), version)

      expect(proof.findings).toEqual([])
      expect(proof.isProved).toBe(true)
      expect(proof.properties.every(({ broken, accepted }) => broken + accepted === 0)).toBe(true)
    },
  )

  it('exact ratatoskr loses at restarts on 3.10, and nothing else', () => {
    const declaration: TopologyDeclaration = { layout: 'ratatoskr', exact: true, queues: { q: {} } }

    expect(codes(declaration, '3.10')).toEqual([
      'q: no-silent-loss/at-most-once-hop',
      'q.retry: no-silent-loss/at-most-once-hop',
    ])
  })

  it.each(['4.0', '4.3'])(
    'exact ratatoskr on %s is also cut by the default delivery limit, and its DLQ drops',
    (version) => {
      const declaration: TopologyDeclaration = { layout: 'ratatoskr', exact: true, queues: { q: {} } }

      expect(codes(declaration, version)).toEqual([
        'q: ends/cut-cycle',
        'q: no-silent-loss/at-most-once-hop',
        'q.retry: no-silent-loss/at-most-once-hop',
        'q.dlq: dlq-keeps/delivery-limit',
      ])
    },
  )

  it.each(['3.10', '4.0', '4.3'])(
    'exact event-bus, isolated and freeflow are at most once on %s',
    (version) => {
      expect(codes({ layout: 'event-bus', exact: true, queues: { s: {} } }, version)).toEqual([
        'default.queue.s: no-silent-loss/at-most-once-hop',
        'default.retry-queue.s: no-silent-loss/at-most-once-hop',
      ])
      expect(codes({ layout: 'isolated', exact: true, queues: { 'q.x': {} } }, version)).toEqual([
        'q.x: no-silent-loss/at-most-once-hop',
        'q.x.retry: no-silent-loss/at-most-once-hop',
      ])
      expect(codes({ layout: 'freeflow', exact: true, queues: { 'freeflow.user': {} } }, version)).toEqual([
        'freeflow.user: no-silent-loss/at-most-once-hop',
        'freeflow.user.retry.30s: no-silent-loss/at-most-once-hop',
        'freeflow.user.retry.5m: no-silent-loss/at-most-once-hop',
        'freeflow.user.retry.30m: no-silent-loss/at-most-once-hop',
      ])
    },
  )

  it('a cut cycle is shown as the way that the message takes', () => {
    const [finding] = prove({ layout: 'ratatoskr', exact: true, queues: { q: {} } }, '4.0').findings

    expect(finding?.path).toEqual([
      'q',
      'delivery_limit',
      'default exchange, key q.retry',
      'q.retry',
      'expired',
      'default exchange, key q',
      'q',
      'cut',
    ])
  })
})

describe('what the end of a node loses', () => {
  // RabbitMQ moves dead letters by itself on these ways. What a consumer publishes is confirmed before it acknowledges.
  const onTheWay = (...queues: string[]) => queues.map((at) => ({ at, what: 'on-the-way' }))
  const dueMeanwhile = (...queues: string[]) => queues.map((at) => ({ at, what: 'due-meanwhile' }))
  const nothing: { at: string; what: string }[] = []

  it.each<[LayoutName, 'exact' | 'hardened', string, { at: string; what: string }[]]>([
    ['warren', 'hardened', 'q', nothing],
    ['ratatoskr', 'hardened', 'q', nothing],
    ['event-bus', 'hardened', 'q', nothing],
    ['freeflow', 'hardened', 'freeflow.q', nothing],
    ['isolated', 'hardened', 'q', nothing],
    ['ratatoskr', 'exact', 'q', dueMeanwhile('q', 'q.retry')],
    ['event-bus', 'exact', 'q', onTheWay('default.queue.q', 'default.retry-queue.q')],
    ['isolated', 'exact', 'q', onTheWay('q', 'q.retry')],
    [
      ...(['freeflow', 'exact', 'freeflow.q'] as const),
      onTheWay('freeflow.q', ...['30s', '5m', '30m'].map((delay) => `freeflow.q.retry.${delay}`)),
    ],
  ])('layout %s, %s: by a clean stop as by a crash, on every version', (layout, form, queue, lost) => {
    const declaration: TopologyDeclaration = { layout, exact: form === 'exact', queues: { [queue]: {} } }

    for (const version of versions)
      expect(prove(declaration, version).losesAt, version).toEqual({ stop: lost, crash: lost })
  })

  it.each<['classic' | 'quorum', 'classic' | 'quorum', 'at most once' | 'at least once', object]>([
    ['classic', 'classic', 'at most once', { stop: 'on-the-way', crash: 'on-the-way' }],
    ['classic', 'quorum', 'at most once', { stop: 'due-meanwhile', crash: 'due-meanwhile' }],
    ['quorum', 'classic', 'at most once', { stop: 'on-the-way', crash: 'on-the-way' }],
    ['quorum', 'quorum', 'at most once', { stop: 'due-meanwhile', crash: 'due-meanwhile' }],
    ['quorum', 'classic', 'at least once', {}],
    ['quorum', 'quorum', 'at least once', {}],
  ])('a hop from %s to %s, %s', (from, to, strategy, losesAt) => {
    const waits = { 'x-dead-letter-strategy': 'at-least-once', 'x-overflow': 'reject-publish' }
    const hop = {
      'x-dead-letter-exchange': '',
      'x-dead-letter-routing-key': 'target',
      'x-message-ttl': 1_000,
    }
    const proof = prove(
      {
        queues: {
          source: {
            type: from,
            deadLetter: false,
            arguments: { ...hop, ...(strategy === 'at least once' ? waits : {}) },
          },
          target: { type: to, deadLetter: false },
        },
      },
      '3.10',
    )

    const hops = proof.findings.filter(({ code }) => code.endsWith('-hop'))
    expect(hops.map((finding) => finding.losesAt)).toEqual('stop' in losesAt ? [losesAt] : [])
    for (const { problem } of hops) expect(problem).toMatch(/a clean stop and (in|after) a crash/)
  })

  it('a queue or an exchange that is not durable goes with its node', () => {
    const proof = prove(
      {
        exchanges: { e: { type: 'fanout', durable: false } },
        queues: { q: { type: 'classic', deadLetter: false, durable: false } },
      },
      '4.0',
    )
    const all = [
      { at: 'q', what: 'everything' },
      { at: 'exchange e', what: 'everything' },
    ]

    expect(proof.losesAt).toEqual({ stop: all, crash: all })
  })
})

describe('what is out of our hands', () => {
  it.each([
    ['warren', '3.10', ['q']],
    ['warren', '4.3', ['q']],
    ['freeflow', '3.10', undefined],
    ['freeflow', '4.0', ['q']],
    ['ratatoskr', '4.0', undefined],
    ['event-bus', '4.0', undefined],
  ] as const)("the broker's delivery limit in layout %s on %s: %s", (layout, version, queues) => {
    const { caveats } = prove({ layout, queues: { q: {} } }, version)

    expect(caveats.map((caveat) => caveat.queues)).toEqual(queues === undefined ? [] : [queues])
    for (const { text } of caveats) expect(text).toMatch(/limit of 20 .*had prefetched.*dead-lettered too/)
  })

  it('is told with the fate of the messages, once for all queues that are alike', () => {
    const { caveats } = prove({ queues: { a: {}, b: {}, c: { deadLetter: false } } }, '4.0')

    expect(caveats.map(({ queues }) => queues)).toEqual([['a', 'b'], ['c']])
    expect(caveats[1]?.text).toContain('are deleted too')
  })
})

describe('what a proof assumes', () => {
  it.each(['ratatoskr', 'event-bus', 'isolated'] as const)(
    'is that nothing expires in the loop of layout %s, until a producer is declared to make it expire',
    (layout) => {
      const declaration: TopologyDeclaration = { layout, queues: { 'q-1': {} } }
      const { queue } = compileTopology(declaration, { brokerVersion: '4.0' }).flows[0]!
      const publications = [{ exchange: '', key: queue, expiration: '5m' }]

      const plain = prove(declaration, '4.0')
      const expiring = prove({ ...declaration, publications }, '4.0')

      expect(plain).toMatchObject({
        isProved: true,
        assumptions: [{ name: 'no-expiration', queues: [queue] }],
      })
      expect(expiring.assumptions).toEqual([])
      expect(expiring.findings).toMatchObject([{ property: 'ends', code: 'cut-cycle', queue }])
      expect(expiring.findings[0]?.wayOut).toContain('without an expiration')
    },
  )

  it.each(['warren', 'freeflow'] as const)('is nothing in layout %s', (layout) => {
    expect(prove({ layout, queues: { q: {} } }, '4.0').assumptions).toEqual([])
  })
})

describe('accepting findings', () => {
  const exact: TopologyDeclaration = { layout: 'ratatoskr', exact: true, queues: { q: {}, other: {} } }

  it('an accepted finding is told apart with its reason and no longer breaks the proof', () => {
    const accept = [{ finding: 'no-silent-loss', reason: 'one node, no restarts' }]
    const proof = prove({ ...exact, accept }, '3.10')

    expect(proof.isProved).toBe(true)
    expect(proof.accepted.map(({ reason }) => reason)).toEqual(Array(4).fill('one node, no restarts'))
    expect(proof.properties.find(({ property }) => property === 'no-silent-loss')).toEqual({
      property: 'no-silent-loss',
      holds: 2,
      broken: 0,
      accepted: 4,
    })
  })

  it('an acceptance for a queue covers its wait queue and no other queue', () => {
    const accept = [{ finding: 'no-silent-loss/at-most-once-hop', queue: 'q', reason: 'known' }]
    const proof = prove({ ...exact, accept }, '3.10')

    expect(proof.findings.map(({ queue }) => queue)).toEqual(['other', 'other.retry'])
  })

  it('an acceptance that meets nothing is named', () => {
    const accept = [{ finding: 'comes-home', reason: 'old' }]

    expect(prove({ queues: { q: { accept } } }, '4.0').unusedAcceptances).toEqual([
      { ...accept[0], queue: 'q' },
    ])
  })
})
