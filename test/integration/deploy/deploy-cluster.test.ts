import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { Session } from '../../../src/broker/amqp/session.ts'
import { openManagement } from '../../../src/broker/management/open-management.ts'
import { applyPlan } from '../../../src/deploy/apply-plan.ts'
import { planBlindly, planDeployment } from '../../../src/deploy/deploy-topology.ts'
import { compileTopology } from '../../../src/topology/compile-topology.ts'
import type { TopologyDeclaration } from '../../../src/topology/declaration.ts'
import type { Plan } from '../../../src/topology/plan-topology.ts'
import { renderDefinitions } from '../../../src/topology/render-definitions.ts'
import { eventually } from '../../support/eventually.ts'
import { type RabbitCluster, startCluster } from '../../support/start-cluster.ts'
import type { RabbitNode } from '../../support/start-rabbit-node.ts'
import { describeWithNode, testWithNode } from '../../support/with-node.ts'

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
      ...{ type: 'classic', deadLetter: false, arguments: { 'x-max-priority': 3 } },
      bind: [{ exchange: 'by kind', arguments: { 'x-match': 'any', kind: 'a', size: 5 } }],
    },
    log: { type: 'stream', deadLetter: false, bind: [{ exchange: 'lost' }] },
  },
}

async function planOn(node: RabbitNode, topology: TopologyDeclaration, vhost = '/'): Promise<Plan> {
  const address = new URL(node.managementUrl)
  address.username = node.username
  address.password = node.password
  const management = openManagement(address.href)
  try {
    return (await planDeployment(topology, { management, vhost })).plan
  } finally {
    management.close()
  }
}

describeWithNode('on a cluster of three', () => {
  let cluster: RabbitCluster

  beforeAll(async () => {
    cluster = await startCluster({ nodes: 3 })
  })
  afterAll(() => cluster?.destroy())

  testWithNode(
    'replicas that apply at once through different nodes leave a plan that is empty on each',
    async () => {
      const replicas = [...cluster.nodes, ...cluster.nodes]
      const sighted = await Promise.all(replicas.map((node) => planOn(node, everything)))
      const blind = planBlindly(everything, cluster.nodes[0]!.version).plan
      const sessions = await Promise.all(replicas.map(({ amqpUrl }) => Session.open(amqpUrl)))

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
      for (const node of cluster.nodes) {
        await eventually(async () => expect(await planOn(node, everything)).toMatchObject({ isEmpty: true }))
      }
    },
  )

  testWithNode('rabbitmqctl import_definitions takes an export, and the plan after it is empty', async () => {
    const node = cluster.nodes[1]!
    const vhost = 'imported'
    const compiled = compileTopology(everything, { brokerVersion: node.version })
    const definitions = JSON.stringify(renderDefinitions(compiled, { vhost }))
    await writeFile(join(node.directory, 'definitions.json'), definitions)
    // The node may live in a root of its own, where its directory has another name.
    const config = JSON.parse(await node.rabbitmqctl('eval', 'os:getenv("RABBITMQ_CONFIG_FILE").')) as string
    await node.rabbitmqctl('add_vhost', vhost)
    await node.rabbitmqctl('set_permissions', '-p', vhost, node.username, '.*', '.*', '.*')

    await node.rabbitmqctl('import_definitions', join(dirname(config), 'definitions.json'))

    await eventually(async () =>
      expect(await planOn(node, everything, vhost)).toMatchObject({ isEmpty: true, unmanaged: [] }),
    )
  })
})
