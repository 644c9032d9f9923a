import { describe, expect, it, onTestFinished } from 'vitest'
import type {
  ApplyResult,
  Approval,
  CompiledTopology,
  LiveTopology,
  Problem,
  TopologyPlan,
  TopologyProblems,
} from '../../../packages/cli/src/http-api/contract/contract.ts'
import { openManagement } from '../../../packages/warrenmq/src/broker/management/open-management.ts'
import { planDeployment } from '../../../packages/warrenmq/src/deploy/plan-deployment.ts'
import { brokerCapabilities } from '../../../packages/warrenmq/src/message/broker-capabilities.ts'
import { parseBrokerVersion } from '../../../packages/warrenmq/src/message/broker-version.ts'
import { renderPlan } from '../../../packages/warrenmq/src/topology/render-plan.ts'
import { eventually } from '../../support/eventually.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { type ApiRig, setUpApi } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const { headers } = broker

const topology = {
  exchanges: { 'orders.events': { type: 'topic' } },
  queues: {
    orders: {
      bind: [{ exchange: 'orders.events', key: 'order.*' }],
      retry: { delays: ['5s', '1m'], maxAttempts: 3 },
    },
  },
} as const

async function get<Body>({ app }: ApiRig, path: string): Promise<Body> {
  const answer = await app.inject({ url: `/api/v1/topology${path}`, headers })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<Body>()
}

function apply({ app }: ApiRig, payload: object) {
  return app.inject({ method: 'POST', url: '/api/v1/topology/apply', headers, payload })
}

describe('a topology over HTTP', () => {
  it('is shown as it is declared and as it stands', async () => {
    const rig = await setUpApi({ ...broker, topology })
    const channel = await rig.consuming.openChannel()
    await channel.consume('orders', () => {})

    const compiled = await get<CompiledTopology>(rig, '')
    const live = await eventually(async () => {
      const read = await get<LiveTopology>(rig, '/live')
      // RabbitMQ has not counted at once what is in a queue that is new, nor who consumes from it.
      const counts = (queue: string) => {
        const { messages, consumers } = read.queues.find(({ name }) => name === queue)!
        return { messages, consumers }
      }
      expect(counts('orders')).toEqual({ messages: 0, consumers: 1 })
      expect(counts('orders.dlq')).toEqual({ messages: 0, consumers: 0 })
      return read
    })

    expect(compiled.queues.map(({ name, role, owner }) => [name, role, owner])).toEqual(
      expect.arrayContaining([
        ['orders', 'work', 'orders'],
        ['orders.dlq', 'dead-letter', 'orders'],
      ]),
    )
    const names = live.queues.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(compiled.queues.map(({ name }) => name)))
  })

  it('is proved, and what is not proved is told with its path', async () => {
    const loose = { queues: { loose: { type: 'classic', arguments: { 'x-max-length': 1 } } } } as const
    const rig = await setUpApi({ ...broker, declared: loose })

    const problems = await get<TopologyProblems>(rig, '/problems')

    expect(problems.isProved).toBe(false)
    expect(problems.findings[0]?.path.length).toBeGreaterThan(0)
    expect(problems.findings[0]?.wayOut).not.toBe('')
  })

  it('is planned, applied as it was read, and then there is nothing to do', async () => {
    const queue = namePerTry('applied.orders')
    const own = { queues: { [queue]: { retry: { delays: ['5s'] } } } } as const
    const rig = await setUpApi({ ...broker, declared: own })

    const plan = await get<TopologyPlan>(rig, '/plan')
    const applied = await apply(rig, { plan: plan.digest, reason: 'first deployment' })
    const after = await get<TopologyPlan>(rig, '/plan')

    expect(plan.safe).toContainEqual({ kind: 'create-queue', target: queue })
    expect(applied.statusCode, applied.body).toBe(200)
    const { results, isComplete, done } = applied.json<ApplyResult>()
    expect({ isComplete, done }).toEqual({ isComplete: true, done: plan.safe.length })
    expect(results.every(({ outcome }) => outcome === 'done')).toBe(true)
    expect(after.isEmpty).toBe(true)
    expect(await broker.depth(queue)).toBe(0)
    const audit = await rig.app.inject({ url: '/api/v1/audit', headers })
    expect(audit.body).toContain('first deployment')
  })

  it('is not applied by a plan that nobody has read', async () => {
    const own = { queues: { 'unread.orders': {} } } as const
    const rig = await setUpApi({ ...broker, declared: own })

    const answer = await apply(rig, { plan: '0'.repeat(64) })

    expect(answer.statusCode).toBe(409)
    expect(answer.json<Problem>().code).toBe('API_PLAN_CHANGED')
    expect(await broker.depth('unread.orders')).toBeUndefined()
  })

  it('loses a binding only where that is allowed, and by a second person where one is asked for', async () => {
    const bound = {
      exchanges: { 'bound.events': { type: 'topic' } },
      queues: { 'bound.orders': { bind: [{ exchange: 'bound.events', key: 'old' }] } },
    } as const
    await setUpApi({ ...broker, topology: bound })
    const wanted = {
      ...bound,
      queues: { 'bound.orders': { bind: [{ exchange: 'bound.events', key: 'new' }] } },
    }
    const rig = await setUpApi({ ...broker, declared: wanted, server: { approval: { above: 10 } } })
    const plan = await get<TopologyPlan>(rig, '/plan')

    const asked = await apply(rig, { plan: plan.digest, allowDisruptive: true })
    const safeOnly = await apply(rig, { plan: plan.digest })

    expect(plan.disruptive).toEqual([
      { kind: 'remove-binding', target: 'bound.events -> bound.orders, key old' },
    ])
    expect([asked.statusCode, safeOnly.statusCode]).toEqual([202, 200])
    expect(asked.json<Approval>()).toMatchObject({ kind: 'approval', state: 'waiting', messages: null })
    expect(safeOnly.json<ApplyResult>()).toMatchObject({ kind: 'applied', skipped: 1, isComplete: false })
  })

  it('that stands as its document says has the same plan as on the command line, with `exact` as a way out', async () => {
    const written = { layout: 'ratatoskr', queues: { 'as.written': {} } } as const
    await setUpApi({ ...broker, topology: { ...written, exact: true } })
    const rig = await setUpApi({ ...broker, declared: written })
    const management = openManagement(broker.managementUrl)
    onTestFinished(() => management.close())

    const { impossible, text } = await get<TopologyPlan>(rig, '/plan')
    const { plan } = await planDeployment(written, { management, vhost: broker.vhost })

    // What the document says of its dead-letter queue is as good as ours where no look at it counts.
    const { supportsUnlimitedDeliveryLimit } = brokerCapabilities(parseBrokerVersion(broker.version))
    expect(impossible.map(({ name }) => name)).toEqual([
      ...['as.written', 'as.written.retry'],
      ...(supportsUnlimitedDeliveryLimit ? ['as.written.dlq'] : []),
    ])
    for (const { waysOut } of impossible) {
      expect(waysOut[0]).toEqual({
        kind: 'exact',
        text: "leave it: it follows the layout's original design; declare it with `exact: true`",
      })
      for (const way of waysOut) expect(text).toContain(`or ${way.text}\n`)
    }
    expect(text).toBe(renderPlan(plan))
  })

  it('is told as unknown by a server without a config', async () => {
    const rig = await setUpApi(broker)

    const answers = ['', '/plan', '/problems'].map((path) =>
      rig.app.inject({ url: `/api/v1/topology${path}`, headers }),
    )

    expect((await Promise.all(answers)).map(({ statusCode }) => statusCode)).toEqual([404, 404, 404])
  })

  it('is shown without queues that RabbitMQ does not let one read, and a plan of all not at all', async () => {
    await broker.createAccount('narrow', { tag: 'administrator', read: '^mine' })
    const rig = await setUpApi({ ...broker, topology })
    const narrow = broker.as('narrow')

    const live = await rig.app.inject({ url: '/api/v1/topology/live', headers: narrow })
    const plan = await rig.app.inject({ url: '/api/v1/topology/plan', headers: narrow })

    expect(live.json<LiveTopology>().queues).toEqual([])
    expect(
      live.json<LiveTopology>().bindings.filter(({ destinationType }) => destinationType === 'queue'),
    ).toEqual([])
    expect(plan.statusCode).toBe(403)
  })
})
