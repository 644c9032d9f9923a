import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseBrokerVersion } from '../message/broker-version.ts'
import { compileTopology } from './compile-topology.ts'
import type { CompiledTopology } from './compiled-topology.ts'
import type { QueueDeclaration, TopologyDeclaration } from './declaration.ts'
import { bindingIdentity } from './is-same-value.ts'
import { type LayoutName, layoutNames } from './layouts/layout-names.ts'
import type { LiveQueue, LiveTopology } from './live-topology.ts'
import { type Plan, planTopology } from './plan-topology.ts'
import { renderPlan } from './render-plan.ts'

const declaration: TopologyDeclaration = {
  exchanges: { events: { type: 'topic' } },
  queues: { orders: { bind: [{ exchange: 'events', key: 'order.*' }], retry: { delays: ['5s'] } } },
}
const compile = (topology: TopologyDeclaration, brokerVersion = '4.0') =>
  compileTopology(topology, { brokerVersion })
const empty = (version = '4.0'): LiveTopology => ({
  brokerVersion: parseBrokerVersion(version),
  exchanges: [],
  queues: [],
  bindings: [],
  policies: [],
})
/** A broker that has exactly what was compiled. */
const liveOf = ({ brokerVersion, exchanges, queues, bindings }: CompiledTopology): LiveTopology => ({
  brokerVersion,
  exchanges,
  queues,
  bindings,
  policies: [],
})
const withQueue = (
  live: LiveTopology,
  name: string,
  change: (queue: LiveQueue) => LiveQueue,
): LiveTopology => ({
  ...live,
  queues: live.queues.map((queue) => (queue.name === name ? change(queue) : queue)),
})

/** What a broker is like after the safe and the disruptive steps of a plan. */
function applyToModel(live: LiveTopology, plan: Plan): LiveTopology {
  const isRemoved = new Set(plan.disruptive.map(({ binding }) => bindingIdentity(binding)))
  const isDeleted = new Set(plan.leftovers.map(({ queue }) => queue))
  return {
    ...live,
    exchanges: [
      ...live.exchanges,
      ...plan.safe.flatMap((step) => (step.kind === 'create-exchange' ? [step.exchange] : [])),
    ],
    queues: [
      ...live.queues.filter(({ name }) => !isDeleted.has(name)),
      ...plan.safe.flatMap((step) => (step.kind === 'create-queue' ? [step.queue] : [])),
    ],
    bindings: [
      ...live.bindings.filter(
        (binding) => !isRemoved.has(bindingIdentity(binding)) && !isDeleted.has(binding.destination),
      ),
      ...plan.safe.flatMap((step) => (step.kind === 'add-binding' ? [step.binding] : [])),
    ],
  }
}

describe('plan', () => {
  it('on an empty broker everything is to be created, bindings last', () => {
    const plan = planTopology({ wanted: compile(declaration), live: empty() })

    expect(plan.safe.map(({ kind }) => kind)).toEqual([
      ...['create-exchange', 'create-exchange'],
      ...['create-queue', 'create-queue', 'create-queue'],
      ...['add-binding', 'add-binding'],
    ])
    expect([plan.disruptive, plan.impossible]).toEqual([[], []])
  })

  it('on a broker that has it all nothing is to be done', () => {
    const wanted = compile(declaration)

    expect(planTopology({ wanted, live: liveOf(wanted) }).isEmpty).toBe(true)
  })

  it('a binding between declared things that is not declared is to be removed', () => {
    const wanted = compile(declaration)
    const stale = {
      source: 'events',
      destination: 'orders',
      destinationType: 'queue',
      key: 'old.*',
      arguments: {},
    } as const
    const live = { ...liveOf(wanted), bindings: [...wanted.bindings, stale] }

    expect(planTopology({ wanted, live }).disruptive).toEqual([{ kind: 'remove-binding', binding: stale }])
  })

  it('a binding from an exchange of somebody else is told and left alone', () => {
    const wanted = compile(declaration)
    const foreign = {
      source: 'theirs',
      destination: 'orders',
      destinationType: 'queue',
      key: 'k',
      arguments: {},
    } as const
    const toTheirs = {
      source: 'events',
      destination: 'theirs',
      destinationType: 'queue',
      key: 'k',
      arguments: {},
    } as const
    const live = { ...liveOf(wanted), bindings: [...wanted.bindings, foreign, toTheirs] }
    const plan = planTopology({ wanted, live })

    expect(plan.isEmpty).toBe(true)
    expect(plan.unmanaged).toEqual([foreign])
  })

  it.each([
    ['message-ttl', 86_400_000, 'orders.dlq', 'message-ttl is 1d', 'messages are deleted after 1d'],
    [
      'message-ttl',
      90_000,
      'orders',
      'message-ttl is 1m30s',
      'messages leave by the dead-letter exchange after 1m30s',
    ],
    [
      'expires',
      1_800_000,
      'orders.dlq',
      'expires is 30m',
      'deleted with its messages once it has been unused for 30m',
    ],
    ['max-length', 10, 'orders.dlq', 'max-length is 10', 'over the limit, the oldest messages are deleted'],
    ['delivery-limit', 3, 'orders.dlq', 'delivery-limit is 3', 'returned more than 3 times are deleted'],
  ])('a policy with %s %s on %s is told in plain words', (key, value, name, setting, consequence) => {
    const wanted = compile(declaration)
    const live = withQueue(liveOf(wanted), name, (queue) => ({
      ...queue,
      policy: 'tidy',
      effectivePolicy: { [key]: value },
    }))
    const text = renderPlan(planTopology({ wanted, live }))

    expect(text).toContain(`${setting} by policy tidy`)
    expect(text).toContain(consequence)
    expect(text).not.toMatch(/\d ms/)
  })

  it('a policy that the topology names itself is no surprise', () => {
    const policies = [{ name: 'tidy', pattern: 'dlq$', definition: { 'max-length': 10 } }]
    const wanted = compile({ ...declaration, policies })
    const live = withQueue(liveOf(wanted), 'orders.dlq', (queue) => ({
      ...queue,
      policy: 'tidy',
      effectivePolicy: { 'max-length': 10 },
    }))

    expect(planTopology({ wanted, live }).policyConflicts).toEqual([])
  })

  it('the wait queue of a delay that was dropped is left over, and no reason to do anything', () => {
    const before = compile({ ...declaration, queues: { orders: { retry: { delays: ['5s', '1m'] } } } })
    const live = withQueue(liveOf(before), 'orders.retry.1m', (queue) => ({
      ...queue,
      messages: 7,
      consumers: 0,
    }))
    const plan = planTopology({
      wanted: compile({ queues: { orders: { retry: { delays: ['5s'] } } } }),
      live,
    })

    expect(plan.leftovers).toEqual([
      {
        kind: 'delete-queue',
        queue: 'orders.retry.1m',
        type: 'quorum',
        of: 'orders',
        messages: 7,
        consumers: 0,
      },
    ])
    expect(plan).toMatchObject({ isEmpty: true, safe: [], disruptive: [], impossible: [] })
    expect(renderPlan(plan)).toContain(
      '  ? queue orders.retry.1m, whose messages return to orders; 7 messages at the last count',
    )
  })

  it('an argument that differs cannot be changed in place: both values and the ways out are told', () => {
    const wanted = compile(declaration)
    const live = withQueue(liveOf(wanted), 'orders.retry.5s', (queue) => ({
      ...queue,
      messages: 3,
      arguments: { ...queue.arguments, 'x-message-ttl': 9000 },
    }))

    expect(planTopology({ wanted, live }).impossible).toEqual([
      {
        kind: 'change-queue',
        name: 'orders.retry.5s',
        messages: 3,
        changes: [{ setting: 'x-message-ttl', wanted: 5000, live: 9000 }],
        waysOut: [{ kind: 'recreate', messages: 3 }, { kind: 'declare-as-is' }, { kind: 'rename' }],
      },
    ])
  })

  it('a queue that stands as the document says can be declared exact, or hardened by a policy', () => {
    const topology: TopologyDeclaration = { layout: 'ratatoskr', queues: { q: {} } }
    const exactForm = compile({ ...topology, exact: true })
    const plan = planTopology({ wanted: compile(topology), live: liveOf(exactForm), exactForm })

    expect(plan.impossible.map(({ name, waysOut }) => [name, ...waysOut.slice(0, 2)])).toEqual([
      [
        'q',
        { kind: 'exact' },
        {
          kind: 'policy',
          definition: {
            'dead-letter-strategy': 'at-least-once',
            overflow: 'reject-publish',
            'delivery-limit': -1,
          },
          displaces: undefined,
        },
      ],
      [
        'q.retry',
        { kind: 'exact' },
        {
          kind: 'policy',
          definition: { 'dead-letter-strategy': 'at-least-once', overflow: 'reject-publish' },
          displaces: undefined,
        },
      ],
      [
        'q.dlq',
        { kind: 'exact' },
        { kind: 'policy', definition: { 'delivery-limit': -1 }, displaces: undefined },
      ],
    ])
  })

  it('a policy that says what the queue lacks closes the gap', () => {
    const topology: TopologyDeclaration = { layout: 'ratatoskr', queues: { q: {} } }
    const exactForm = compile({ ...topology, exact: true })
    const first = planTopology({ wanted: compile(topology), live: liveOf(exactForm), exactForm })
    const live = first.impossible.reduce((soFar, { name, waysOut }) => {
      const policy = waysOut.find((way) => way.kind === 'policy')
      return withQueue(soFar, name, (queue) => ({
        ...queue,
        policy: 'harden',
        effectivePolicy: policy?.definition,
      }))
    }, liveOf(exactForm))

    const plan = planTopology({ wanted: compile(topology), live })

    expect(plan.isEmpty).toBe(true)
    expect(plan.policyConflicts).toEqual([])
  })

  it.each<[string, Record<string, string | number>, string[]]>([
    ['overflow of a quorum queue', { overflow: 'drop-head' }, ['overflow drop-head']],
    ['a lower TTL', { 'message-ttl': 10 }, ['message-ttl 10']],
    ['a limit that defeats -1', { 'delivery-limit': 5 }, ['delivery-limit 5']],
    ['a dead-letter exchange where the queue has its own', { 'dead-letter-exchange': 'x' }, []],
    ['a key that queues do not act on', { 'ha-mode': 'all' }, []],
  ])('a policy that overrides an argument is told: %s', (_title, effectivePolicy, expected) => {
    const wanted = compile({ layout: 'ratatoskr', queues: { q: {} } })
    const live = withQueue(liveOf(wanted), 'q', (queue) => ({ ...queue, policy: 'p', effectivePolicy }))
    const plan = planTopology({ wanted, live })

    expect(plan.policyConflicts.map(({ key, effective }) => `${key} ${effective}`)).toEqual(expected)
    expect(plan.isEmpty).toBe(true)
  })

  it('an exchange of another type cannot be changed in place', () => {
    const wanted = compile(declaration)
    const live = liveOf(compile({ ...declaration, exchanges: { events: { type: 'direct' } } }))

    expect(planTopology({ wanted, live }).impossible).toMatchObject([
      {
        kind: 'change-exchange',
        name: 'events',
        changes: [{ setting: 'type', wanted: 'topic', live: 'direct' }],
      },
    ])
  })
})

describe('the law of planning', () => {
  const layoutOf = fc.constantFrom<LayoutName>(...layoutNames)
  const queueOf = fc.record<QueueDeclaration>(
    {
      bind: fc.array(
        fc.record({ exchange: fc.constantFrom('e1', 'e2'), key: fc.constantFrom('a', 'b.*', '#') }),
        { maxLength: 2 },
      ),
      type: fc.constantFrom('quorum', 'classic'),
    },
    { requiredKeys: [] },
  )
  const topologyOf = fc.record<TopologyDeclaration>({
    layout: layoutOf,
    exchanges: fc.constant({ e1: { type: 'topic' }, e2: { type: 'direct' } }),
    queues: fc.dictionary(fc.constantFrom('a-x', 'b', 'c.d'), queueOf),
  })
  const versionOf = fc.constantFrom('3.10', '4.0', '4.3')

  it('from any live state, once the steps are carried out, no step that can be carried out is left', () => {
    fc.assert(
      fc.property(
        topologyOf,
        topologyOf,
        versionOf,
        fc.infiniteStream(fc.boolean()),
        (after, before, version, keep) => {
          const wanted = compile(after, version)
          const full = liveOf(compile(before, version))
          const kept = <Thing>(things: readonly Thing[]) => things.filter(() => keep.next().value)
          const live = {
            ...full,
            queues: kept(full.queues),
            bindings: kept(full.bindings),
            exchanges: kept(full.exchanges),
          }

          const plan = planTopology({ wanted, live })
          const again = planTopology({ wanted, live: applyToModel(live, plan) })

          expect([again.safe, again.disruptive]).toEqual([[], []])
          expect(again.impossible.map(({ name }) => name)).toEqual(plan.impossible.map(({ name }) => name))
          expect(again.isEmpty).toBe(plan.impossible.length === 0)
        },
      ),
      { numRuns: 300 },
    )
  })
})
