import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { goldenLines } from '../../../../test/support/golden-lines.ts'
import { compileTopology } from './compile-topology.ts'
import type { CompiledTopology } from './compiled-topology.ts'
import type { QueueDeclaration, TopologyDeclaration } from './declaration.ts'
import { type LayoutName, layoutNames } from './layouts/layout-names.ts'
import type { LiveTopology } from './live-topology.ts'
import { readDefinitions } from './read-definitions.ts'
import { recogniseTopology } from './recognise-topology.ts'
import { renderDefinitions } from './render-definitions.ts'
import { validateTopology } from './validate-topology.ts'

const liveOf = ({ brokerVersion, exchanges, queues, bindings }: CompiledTopology): LiveTopology => ({
  brokerVersion,
  exchanges,
  queues,
  bindings,
  policies: [],
})
const compile = (topology: TopologyDeclaration, brokerVersion = '4.0') =>
  compileTopology(topology, { brokerVersion })

describe('recognising what stands on a broker', () => {
  it.each<[string, TopologyDeclaration]>([
    [
      'warren',
      { exchanges: { e: { type: 'topic' } }, queues: { q: { bind: [{ exchange: 'e', key: 'k' }] } } },
    ],
    [
      'warren with settings',
      {
        queues: {
          q: { poisonLimit: 5, retry: { delays: [5000, 60_000] }, arguments: { 'x-max-length': 9 } },
        },
      },
    ],
    [
      'ratatoskr, exact',
      {
        layout: 'ratatoskr',
        exact: true,
        exchanges: {},
        queues: { 'my.events': { retry: { delays: [7000] } } },
      },
    ],
    ['event-bus', { layout: 'event-bus', queues: { 'wms-a': {}, noprefix: {} } }],
    [
      'event-bus with a prefix of its own',
      { layout: { name: 'event-bus', prefix: 'x' }, exact: true, queues: { 'wms-a': {} } },
    ],
    [
      'freeflow',
      {
        layout: { name: 'freeflow', namespace: 'freeflow' },
        exact: true,
        queues: { 'freeflow.user': {}, other: { domain: 'auth' } },
      },
    ],
    [
      'isolated',
      {
        layout: 'isolated',
        exchanges: { d: { type: 'topic' } },
        queues: { 'q.x': { bind: [{ exchange: 'd', key: '#' }] } },
      },
    ],
  ])('%s comes back as it was declared', (_title, declaration) => {
    const { topology, plainQueues } = recogniseTopology(liveOf(compile(declaration)))

    const { layout: wantedLayout = 'warren', exchanges = {}, ...rest } = declaration
    expect(topology).toEqual({ ...rest, layout: wantedLayout, exchanges })
    expect(plainQueues).toEqual([])
  })

  it('queues of several layouts are told apart, and others are declared as they are', () => {
    const declaration: TopologyDeclaration = {
      layout: 'isolated',
      queues: {
        'q.a': {},
        'q.b': {},
        odd: { layout: 'ratatoskr', exact: true },
        plain: { type: 'classic', deadLetter: false, arguments: { 'x-max-length': 3 } },
      },
    }
    const recognised = recogniseTopology(liveOf(compile(declaration)))

    expect(recognised.topology).toEqual({ ...declaration, exchanges: {} })
    expect(recognised.queues).toEqual([
      { name: 'q.a', layout: 'isolated', isExact: false },
      { name: 'q.b', layout: 'isolated', isExact: false },
      { name: 'odd', layout: 'ratatoskr', isExact: true },
    ])
    expect(recognised.plainQueues).toEqual(['plain'])
  })

  it('a queue that was hardened on 3.10 is still hardened after the upgrade to 4.x', () => {
    const declaration: TopologyDeclaration = { layout: 'ratatoskr', queues: { q: {} } }
    const live = {
      ...liveOf(compile(declaration, '3.10')),
      brokerVersion: compile(declaration, '4.0').brokerVersion,
    }

    expect(recogniseTopology(live).queues).toEqual([{ name: 'q', layout: 'ratatoskr', isExact: false }])
  })

  it('whatever is compiled and exported is recognised as a declaration that compiles to the same', () => {
    const queueOf = fc.record<QueueDeclaration>(
      {
        bind: fc.uniqueArray(
          fc.record({ exchange: fc.constantFrom('e1', 'e2'), key: fc.constantFrom('a', 'b.*', '#') }),
          {
            selector: ({ exchange, key }) => exchange + key,
            maxLength: 2,
          },
        ),
        layout: fc.constantFrom<LayoutName>(...layoutNames),
        type: fc.constantFrom('quorum', 'classic'),
      },
      { requiredKeys: [] },
    )
    const exchanges = { e1: { type: 'topic' }, e2: { type: 'direct' } } as const
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('a-x', 'b', 'c.d'), queueOf),
        fc.constantFrom('3.10', '4.0', '4.3'),
        (queues, version) => {
          const declaration = { exchanges, queues }
          fc.pre(validateTopology(declaration).length === 0)
          const compiled = compile(declaration, version)
          const definitions = JSON.parse(JSON.stringify(renderDefinitions(compiled))) as object

          const { topology } = recogniseTopology(
            readDefinitions({ rabbitmq_version: version, ...definitions }),
          )

          expect(validateTopology(topology)).toEqual([])
          expect(goldenLines(compile(topology, version))).toEqual(goldenLines(compiled))
        },
      ),
      { numRuns: 200 },
    )
  })
})
