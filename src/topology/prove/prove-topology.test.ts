import { describe, expect, it } from 'vitest'
import { compileTopology } from '../compile-topology.ts'
import type { TopologyDeclaration } from '../declaration.ts'
import { type LayoutName, layoutNames } from '../layouts/layout-names.ts'
import { proveTopology } from './prove-topology.ts'

const versions = ['3.10', '3.12', '3.13.3', '4.0', '4.1', '4.3']

function declare(layout: LayoutName): TopologyDeclaration {
  const exchanges = { events: { type: 'topic' } }
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
      ...{ property: 'no-silent-loss', holds: 2, broken: 0, accepted: 4 },
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
