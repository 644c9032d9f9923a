import { describe, expect, it, onTestFinished } from 'vitest'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { openManagement } from '../../../packages/warrenmq/src/broker/management/open-management.ts'
import { applyPlan } from '../../../packages/warrenmq/src/deploy/apply-plan.ts'
import { observeTopology } from '../../../packages/warrenmq/src/deploy/observe-topology.ts'
import { planDeployment, proveDeployment } from '../../../packages/warrenmq/src/deploy/plan-deployment.ts'
import { brokerCapabilities } from '../../../packages/warrenmq/src/message/broker-capabilities.ts'
import { isAtLeast, parseBrokerVersion } from '../../../packages/warrenmq/src/message/broker-version.ts'
import { compileTopology } from '../../../packages/warrenmq/src/topology/compile-topology.ts'
import type { TopologyDeclaration } from '../../../packages/warrenmq/src/topology/declaration.ts'
import { policiesInForce } from '../../../packages/warrenmq/src/topology/policies-in-force.ts'
import { readDefinitions } from '../../../packages/warrenmq/src/topology/read-definitions.ts'
import { eventually } from '../../support/eventually.ts'
import { createVhost } from '../../support/use-broker.ts'

/** A vhost of its own with a topology, and policies on it. */
async function setup(topology: TopologyDeclaration) {
  const broker = await createVhost()
  const management = openManagement(
    broker.managementUrl.replace('://', `://${broker.username}:${broker.password}@`),
  )
  const session = await Session.open(broker.url)
  onTestFinished(async () => {
    await session.close()
    management.close()
    await broker.drop()
  })
  const { vhost } = broker
  const plan = () => planDeployment(topology, { management, vhost })
  await applyPlan(session, (await plan()).plan)
  const put = (
    name: string,
    definition: Record<string, number | string>,
    { pattern = '.*', isOperator = false } = {},
  ) =>
    broker.management(
      'PUT',
      `/api/${isOperator ? 'operator-policies' : 'policies'}/${vhost}/${encodeURIComponent(name)}`,
      { pattern, 'apply-to': 'queues', priority: 0, definition },
    )
  const exportAll = () => broker.management<Record<string, unknown>>('GET', `/api/definitions/${vhost}`)
  return { ...broker, management, put, plan, exportAll }
}

type Limit = number | undefined

/** What the queue is declared with, its policy and its operator policy. */
const limits: readonly (readonly [own: Limit, user: Limit, operator: Limit])[] = [
  [undefined, undefined, undefined],
  [undefined, -1, undefined],
  [undefined, 7, undefined],
  [-1, 7, undefined],
  [3, -1, undefined],
  [9, 7, 5],
  [undefined, -1, 5],
  [undefined, 5, -1],
  [-1, undefined, 5],
]

describe('policies in force', () => {
  it('give each queue the delivery limit that the broker says', async ({ skip }) => {
    const declared = limits.map(([own], index) => [
      `q${index}`,
      { deadLetter: false, ...(own === undefined ? {} : { arguments: { 'x-delivery-limit': own } }) },
    ])
    const declaration: TopologyDeclaration = { queues: Object.fromEntries(declared) }
    const { management, vhost, version, put } = await setup(declaration)
    const capabilities = brokerCapabilities(parseBrokerVersion(version))
    if (!isAtLeast(parseBrokerVersion(version), '4.0')) skip('RabbitMQ tells the limit in force from 4.0 on')
    for (const [index, [, user, operator]] of limits.entries()) {
      const pattern = `^q${index}$`
      if (user !== undefined) await put(`user ${index}`, { 'delivery-limit': user }, { pattern })
      if (operator !== undefined)
        await put(`operator ${index}`, { 'delivery-limit': operator }, { pattern, isOperator: true })
    }

    const { policies } = await observeTopology(management, { vhost })
    const compiled = compileTopology(declaration, { brokerVersion: version })
    const { topology } = policiesInForce({ ...compiled, policies }, capabilities)

    const computed = topology.queues.map(({ arguments: args }) => {
      const limit = args['x-delivery-limit'] ?? 20
      return Number(limit) < 0 ? 'unlimited' : limit
    })
    await eventually(async () => {
      const found = await Promise.all(
        limits.map((_, index) => management.queues.find({ vhost, name: `q${index}` })),
      )
      expect(found.map((queue) => queue?.deliveryLimit)).toEqual(computed)
    })
  })

  it('an export of the broker has what the live broker has, operator policies too', async () => {
    const { management, vhost, put, exportAll } = await setup({ queues: { q: {} } })
    await put('user', { 'message-ttl': 60_000 })
    await put('operator', { 'max-length': 10 }, { isOperator: true })

    const live = await observeTopology(management, { vhost })
    const exported = readDefinitions(await exportAll(), { vhost })

    expect(exported.policies).toEqual(live.policies)
    expect(exported.policies.map(({ isOperatorPolicy }) => isOperatorPolicy)).toEqual([false, true])
  })

  it('a policy that deletes dead letters is a finding of the deployment', async () => {
    const { put, plan } = await setup({ queues: { q: {} } })
    expect(proveDeployment(await plan()).findings).toEqual([])

    await put('tidy', { 'message-ttl': 86_400_000 })

    const proof = await eventually(async () => {
      const found = proveDeployment(await plan())
      expect(found.isProved).toBe(false)
      return found
    })
    expect(proof.findings.map(({ property, code, queue }) => `${queue}: ${property}/${code}`)).toContain(
      'q.dlq: dlq-keeps/ttl',
    )
  })
})
