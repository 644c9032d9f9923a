import { describe, expect, it, onTestFinished } from 'vitest'
import { declareQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { openManagement } from '../../../packages/warrenmq/src/broker/management/open-management.ts'
import { applyPlan } from '../../../packages/warrenmq/src/deploy/apply-plan.ts'
import { observeTopology } from '../../../packages/warrenmq/src/deploy/observe-topology.ts'
import { planBlindly, planDeployment } from '../../../packages/warrenmq/src/deploy/plan-deployment.ts'
import { ChannelError } from '../../../packages/warrenmq/src/errors.ts'
import { Publisher } from '../../../packages/warrenmq/src/publisher/publisher.ts'
import { compileTopology } from '../../../packages/warrenmq/src/topology/compile-topology.ts'
import type { TopologyDeclaration } from '../../../packages/warrenmq/src/topology/declaration.ts'
import { recogniseTopology } from '../../../packages/warrenmq/src/topology/recognise-topology.ts'
import { renderDefinitions } from '../../../packages/warrenmq/src/topology/render-definitions.ts'
import { toFieldTable } from '../../../packages/warrenmq/src/wire/plain-fields.ts'
import { eventually } from '../../support/eventually.ts'
import { goldenLines } from '../../support/golden-lines.ts'
import { createVhost } from '../../support/use-broker.ts'

/** A vhost of its own for each test, because a plan looks at all of it. */
async function setup() {
  const broker = await createVhost()
  const address = new URL(broker.managementUrl)
  address.username = broker.username
  address.password = broker.password
  const management = openManagement(address.href)
  const session = await Session.open(broker.url)
  onTestFinished(async () => {
    await session.close()
    management.close()
    await broker.drop()
  })
  const { vhost, version } = broker
  const plan = async (topology: TopologyDeclaration) =>
    (await planDeployment(topology, { management, vhost })).plan
  const apply = async (topology: TopologyDeclaration, options?: Parameters<typeof applyPlan>[2]) =>
    applyPlan(session, await plan(topology), options)
  return { vhost, version, management, callApi: broker.management, session, plan, apply }
}

const events = { events: { type: 'topic' } } as const
const bind = [{ exchange: 'events', key: 'order.#' }]
const ladder: TopologyDeclaration = {
  exchanges: events,
  queues: { orders: { bind, retry: { delays: ['5s', '1m'] } } },
}

const topologies: readonly (readonly [string, TopologyDeclaration])[] = [
  ['warren', ladder],
  ['warren, classic', { queues: { orders: { type: 'classic' } } }],
  ...([true, false] as const).flatMap((exact) => [
    [
      `ratatoskr, exact ${exact}`,
      { layout: 'ratatoskr', exact, exchanges: events, queues: { orders: { bind } } },
    ] as const,
    [
      `event-bus, exact ${exact}`,
      { layout: 'event-bus', exact, queues: { 'wms-a': {}, 'wms-b': {} } },
    ] as const,
    [`freeflow, exact ${exact}`, { layout: 'freeflow', exact, queues: { 'freeflow.user': {} } }] as const,
    [
      `isolated, exact ${exact}`,
      { layout: 'isolated', exact, exchanges: events, queues: { 'q.x': { bind } } },
    ] as const,
  ]),
  [
    'plain queues, exchanges bound to exchanges, headers',
    {
      exchanges: {
        h: { type: 'headers', alternateExchange: 'f' },
        f: {
          type: 'fanout',
          internal: true,
          bind: [{ exchange: 'h', arguments: { 'x-match': 'any', kind: 'a', size: 5 } }],
        },
      },
      queues: {
        s: { type: 'stream', deadLetter: false, bind: [{ exchange: 'f' }] },
        c: { type: 'classic', deadLetter: false, arguments: { 'x-max-priority': 3, 'x-max-length': 10 } },
      },
    },
  ],
]

describe('plan and apply', () => {
  it.each(topologies)('after an apply the plan is empty: %s', async (_title, topology) => {
    const { apply, plan, management, vhost, version } = await setup()

    const report = await apply(topology)

    expect(report).toMatchObject({ isComplete: true, failed: 0 })
    expect(await plan(topology)).toMatchObject({ isEmpty: true, unmanaged: [], policyConflicts: [] })
    const live = await observeTopology(management, { vhost })
    const { topology: recognised } = recogniseTopology(live)
    expect(goldenLines(compileTopology(recognised, { brokerVersion: version }))).toEqual(
      goldenLines(compileTopology(topology, { brokerVersion: version })),
    )
  })

  it.each(topologies)(
    'an export is taken by the management API, and the plan after it is empty: %s',
    async (_title, topology) => {
      const { plan, callApi, vhost, version } = await setup()
      const compiled = compileTopology(topology, { brokerVersion: version })

      await callApi('POST', '/api/definitions', renderDefinitions(compiled, { vhost }))

      expect(await plan(topology)).toMatchObject({ isEmpty: true })
    },
  )

  it('many replicas may apply at once, with and without a look at the broker first', async () => {
    const { session, plan, version } = await setup()
    const sighted = await plan(ladder)
    const { plan: blind, unchecked } = planBlindly(ladder, version)

    const reports = await Promise.all(
      [sighted, sighted, blind, blind].map((each) => applyPlan(session, each)),
    )

    expect(reports.map(({ isComplete }) => isComplete)).toEqual([true, true, true, true])
    expect(unchecked).toHaveLength(4)
    expect(await plan(ladder)).toMatchObject({ isEmpty: true })
  })

  it('a step that the broker refuses is told with its words, and the others are done', async () => {
    const { session, plan, version } = await setup()
    const channel = await session.openChannel()
    await declareQueue(channel, { queue: 'orders.retry.5s', arguments: toFieldTable({ 'x-message-ttl': 9 }) })

    const report = await applyPlan(session, planBlindly(ladder, version).plan)

    const failed = report.results.flatMap(({ outcome }) => (outcome.kind === 'failed' ? [outcome.error] : []))
    expect(failed).toEqual([expect.any(ChannelError)])
    expect(failed[0]?.message).toMatch(/orders\.retry\.5s/)
    expect(report).toMatchObject({ failed: 1, done: 7, isComplete: false })
    const after = await plan(ladder)
    expect([after.safe, after.impossible.map(({ name }) => name)]).toEqual([[], ['orders.retry.5s']])
  })

  it('what the topology no longer has is removed only when that is allowed', async () => {
    const { apply, plan, management, vhost } = await setup()
    await apply(ladder)
    const shorter: TopologyDeclaration = {
      exchanges: events,
      queues: { orders: { bind: [{ exchange: 'events', key: 'order.*' }], retry: { delays: ['5s'] } } },
    }

    const observe = () => observeTopology(management, { vhost })
    const cautious = await apply(shorter)
    const bold = await apply(shorter, { allowDisruptive: true })
    const tidy = await eventually(async () => {
      const report = await apply(shorter, { leftovers: 'remove-empty', observe })
      expect(report.kept).toBe(0)
      return report
    })

    expect(cautious).toMatchObject({ done: 1, skipped: 1, kept: 1, isComplete: false })
    expect(bold).toMatchObject({ failed: 0, kept: 1, isComplete: true })
    expect(tidy).toMatchObject({ done: 1, isComplete: true })
    expect(await plan(shorter)).toMatchObject({ isEmpty: true })
    expect(await management.queues.find({ vhost, name: 'orders.retry.1m' })).toBeUndefined()
  })

  it('a queue that holds a message is not deleted', async () => {
    const { apply, session, management, vhost } = await setup()
    await apply(ladder)
    const publisher = new Publisher(session)
    await publisher.publish({ exchange: '', key: 'orders.retry.1m', body: 'waiting' })

    const report = await apply(
      { queues: { orders: { retry: { delays: ['5s'] } } } },
      {
        allowDisruptive: true,
        leftovers: 'remove-empty',
        observe: () => observeTopology(management, { vhost }),
      },
    )

    const kept = report.results.filter(({ outcome }) => outcome.kind === 'kept')
    expect(kept.map(({ step }) => step)).toMatchObject([{ kind: 'delete-queue', queue: 'orders.retry.1m' }])
    expect(await management.queues.find({ vhost, name: 'orders.retry.1m' })).toBeDefined()
    await publisher.close()
  })

  it('a policy that overrides arguments is told, and one that fills in what a queue lacks closes the gap', async () => {
    const { apply, plan, callApi, vhost, version } = await setup()
    const topology: TopologyDeclaration = { layout: 'ratatoskr', queues: { q: {} } }
    await apply({ ...topology, exact: true })
    const put = (name: string, pattern: string, definition: object) =>
      callApi('PUT', `/api/policies/${vhost}/${name}`, {
        pattern,
        'apply-to': 'queues',
        priority: 1,
        definition,
      })

    const before = await plan(topology)
    for (const { name, waysOut } of before.impossible) {
      const way = waysOut.find(({ kind }) => kind === 'policy')
      await put(
        `harden-${name}`,
        `^${name.replaceAll('.', '\\.')}$`,
        way?.kind === 'policy' ? way.definition : {},
      )
    }

    expect(before.impossible.map(({ name }) => name)).toEqual(
      version.startsWith('3.') ? ['q', 'q.retry'] : ['q', 'q.retry', 'q.dlq'],
    )
    await eventually(async () =>
      expect(await plan(topology)).toMatchObject({ isEmpty: true, policyConflicts: [] }),
    )
    await put('harden-q', '^q$', { overflow: 'drop-head', 'dead-letter-strategy': 'at-least-once' })
    await eventually(async () =>
      expect((await plan(topology)).policyConflicts).toMatchObject([
        { queue: 'q', key: 'overflow', effective: 'drop-head' },
      ]),
    )
  })

  it('an operator policy counts as well', async () => {
    const { apply, plan, callApi, vhost } = await setup()
    await apply(ladder)

    const definition = { 'max-length': 100 }
    await callApi('PUT', `/api/operator-policies/${vhost}/cap`, {
      pattern: 'dlq$',
      'apply-to': 'queues',
      priority: 1,
      definition,
    })

    expect((await plan(ladder)).policyConflicts).toMatchObject([
      { queue: 'orders.dlq', policies: ['cap'], key: 'max-length', wanted: undefined, effective: 100 },
    ])
  })
})
