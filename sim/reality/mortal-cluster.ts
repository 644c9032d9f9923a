import { setTimeout as sleep } from 'node:timers/promises'
import { callManagement } from '../../test/support/call-management.ts'
import { eventually } from '../../test/support/eventually.ts'
import type { RabbitCluster } from '../../test/support/start-cluster.ts'
import type { RabbitNode } from '../../test/support/start-rabbit-node.ts'
import { describeQueuesOf, type MortalBroker, patiently, Torturer } from './mortal-broker.ts'

/** A broker of several nodes. Clients are sent to one after the other, as by a load balancer that knows nothing. */
export function createMortalCluster({ nodes, leaderOf, destroy }: RabbitCluster): MortalBroker {
  const torturer = new Torturer()
  let away: RabbitNode | undefined
  let turn = 0
  const { version, username, password } = nodes[0]!
  const next = (): RabbitNode => nodes[turn++ % nodes.length]!
  const awayFor = async (node: RabbitNode, deed: () => Promise<void>): Promise<void> => {
    away = node
    await deed()
    await eventually(() => areTogether(nodes), { timeoutMs: 240_000, what: 'the nodes to be together' })
    away = undefined
  }
  return {
    version,
    username,
    password,
    directories: nodes.map(({ directory }) => directory),
    get isUp() {
      return !torturer.isBusy
    },
    entrance: next,
    get access() {
      return nodes.find((node) => node !== away)!
    },
    crash: (ms, { vhost, name }) =>
      torturer.beginCrash(async () => {
        const leader = await leaderOf(name, { vhost }).catch(() => next())
        await awayFor(leader, async () => {
          await leader.kill9()
          await sleep(ms)
          await leader.start()
        })
      }),
    pause: (ms) => {
      const node = next()
      const stand = async (): Promise<void> => {
        await node.pause()
        await sleep(ms)
        await node.resume()
      }
      return torturer.begin(() => awayFor(node, stand))
    },
    alarm: (ms) => torturer.ring(next(), ms),
    partition: (ms) => {
      const node = next()
      const others = nodes.filter((other) => other !== node)
      const divide = async (): Promise<void> => {
        await cutOff(node, others)
        await sleep(ms)
        await rejoin(node, others)
      }
      return torturer.begin(() => awayFor(node, divide))
    },
    settled: () => torturer.settled(),
    describeQueues: async (vhost) => {
      const told = await Promise.all(nodes.map((node) => describeQueuesOf(node, vhost)))
      return told.join('\n')
    },
    restart: async () => {
      await Promise.all(nodes.map((node) => node.kill9()))
      await Promise.all(nodes.map((node) => node.start()))
      await eventually(() => areTogether(nodes), { timeoutMs: 240_000, what: 'the nodes to be together' })
    },
    syncRegistrations: async () => {
      await Promise.all(nodes.map((node) => eventually(() => node.syncRegistrations(), patiently)))
    },
    destroy,
  }
}

/** It ends the connections to the others, and refuses new ones: their cookies are no longer the same to it. */
async function cutOff(node: RabbitNode, others: readonly RabbitNode[]): Promise<void> {
  const cut = `[begin erlang:set_cookie(Node, cut_off), erlang:disconnect_node(Node) end || Node <- ${atoms(others)}].`
  await eventually(() => node.rabbitmqctl('eval', cut), patiently)
}

async function rejoin(node: RabbitNode, others: readonly RabbitNode[]): Promise<void> {
  const join = `[begin erlang:set_cookie(Node, erlang:get_cookie()), net_adm:ping(Node) end || Node <- ${atoms(others)}].`
  await eventually(() => node.rabbitmqctl('eval', join), patiently)
}

function atoms(nodes: readonly RabbitNode[]): string {
  return `[${nodes.map(({ name }) => `'${name}'`).join(', ')}]`
}

/** Each of them sees all of them run. */
async function areTogether(nodes: readonly RabbitNode[]): Promise<boolean> {
  const seen = await Promise.all(
    nodes.map((node) =>
      callManagement<{ running: boolean; partitions?: readonly string[] }[]>(node, 'GET', '/api/nodes'),
    ),
  )
  return seen.every(
    (view) =>
      view.length === nodes.length &&
      view.every(({ running, partitions = [] }) => running && partitions.length === 0),
  )
}
