import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { locateManagement } from '../../../packages/warrenmq/src/broker/management/management-url.ts'
import { openManagement } from '../../../packages/warrenmq/src/broker/management/open-management.ts'
import { pairManagement } from '../../../packages/warrenmq/src/broker/management/pair-management.ts'
import { applyPlan } from '../../../packages/warrenmq/src/deploy/apply-plan.ts'
import { planBlindly, planDeployment } from '../../../packages/warrenmq/src/deploy/plan-deployment.ts'
import { compileTopology } from '../../../packages/warrenmq/src/topology/compile-topology.ts'
import type { TopologyDeclaration } from '../../../packages/warrenmq/src/topology/declaration.ts'
import type { Plan } from '../../../packages/warrenmq/src/topology/plan-topology.ts'
import { renderDefinitions } from '../../../packages/warrenmq/src/topology/render-definitions.ts'
import { createVhostOn } from '../../support/create-vhost-on.ts'
import { eventually } from '../../support/eventually.ts'
import type { RabbitCluster } from '../../support/start-cluster.ts'
import type { RabbitNode } from '../../support/start-rabbit-node.ts'

/** Every layout in one topology, with all that a definitions.json can hold of it. */
const everything: TopologyDeclaration = {
  exchanges: {
    events: { type: 'topic', alternateExchange: 'lost' },
    lost: { type: 'fanout', internal: true },
    'by kind': { type: 'headers', bind: [{ exchange: 'events', key: 'kind.#' }] },
  },
  queues: {
    orders: { bind: [{ exchange: 'events', key: 'order.*' }], retry: { delays: ['5s', '1m'] } },
    stock: { layout: 'ratatoskr', bind: [{ exchange: 'events', key: 'stock.#' }] },
    'shop-mail': { layout: 'event-bus' },
    'freeflow.user': { layout: 'freeflow' },
    'q.audit': { layout: 'isolated', exact: true, bind: [{ exchange: 'events', key: '#' }] },
    'büro "eins"': {
      type: 'classic',
      deadLetter: false,
      arguments: { 'x-max-priority': 3 },
      bind: [{ exchange: 'by kind', arguments: { 'x-match': 'any', kind: 'a', size: 5 } }],
    },
    log: { type: 'stream', deadLetter: false, bind: [{ exchange: 'lost' }] },
  },
}

async function setup({ nodes }: RabbitCluster) {
  const { vhost, drop } = await createVhostOn(nodes[0]!, 'deploy')
  onTestFinished(drop)
  return { nodes, vhost, planOn: (node: RabbitNode) => planEverything(node, vhost) }
}

async function planEverything(node: RabbitNode, vhost: string): Promise<Plan> {
  const address = new URL(node.managementUrl)
  address.username = node.username
  address.password = node.password
  const management = openManagement(address.href)
  try {
    return (await planDeployment(everything, { management, vhost })).plan
  } finally {
    management.close()
  }
}

/** What is deployed to a cluster is the same at each of its nodes. */
export function testDeployment(open: () => RabbitCluster): void {
  test('replicas that apply at once through different nodes leave a plan that is empty on each', async () => {
    const { nodes, vhost, planOn } = await setup(open())
    const replicas = [...nodes, ...nodes]
    const sighted = await Promise.all(replicas.map(planOn))
    const blind = planBlindly(everything, nodes[0]!.version).plan
    const sessions = await Promise.all(replicas.map(({ amqpUrl }) => Session.open(`${amqpUrl}/${vhost}`)))

    const reports = await Promise.all(
      sessions.flatMap((session, index) => [
        applyPlan(session, sighted[index]!),
        ...(index < 2 ? [applyPlan(session, blind)] : []),
      ]),
    )
    await Promise.all(sessions.map((session) => session.close()))

    expect(reports.map(({ isComplete, failed }) => ({ isComplete, failed }))).toEqual(
      reports.map(() => ({ isComplete: true, failed: 0 })),
    )
    for (const node of nodes) {
      await eventually(async () => expect(await planOn(node)).toMatchObject({ isEmpty: true }))
    }
  })

  test('the management API of each node is known as that of the cluster, whichever node one is connected to', async () => {
    const { nodes, vhost } = await setup(open())
    const pairs = nodes.flatMap((amqp) => nodes.map((api) => ({ amqp, api })))

    for (const { amqp, api } of pairs) {
      const url = `${amqp.amqpUrl}/${vhost}`
      const session = await Session.open(url)
      const management = pairManagement(session, locateManagement(url, api.managementUrl))
      const overview = await management.overview().finally(() => session.close())
      expect(overview.node).toContain(api.name)
    }
  })

  test('rabbitmqctl import_definitions takes an export, and the plan after it is empty', async () => {
    const { nodes, vhost, planOn } = await setup(open())
    const node = nodes[1]!
    const compiled = compileTopology(everything, { brokerVersion: node.version })
    const definitions = JSON.stringify(renderDefinitions(compiled, { vhost }))
    await writeFile(join(node.directory, 'definitions.json'), definitions)
    // The node may live in a root of its own, where its directory has another name.
    const config = JSON.parse(await node.rabbitmqctl('eval', 'os:getenv("RABBITMQ_CONFIG_FILE").')) as string

    await node.rabbitmqctl('import_definitions', join(dirname(config), 'definitions.json'))

    await eventually(async () => expect(await planOn(node)).toMatchObject({ isEmpty: true, unmanaged: [] }))
  })
}
