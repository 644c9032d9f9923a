import { callManagement } from './call-management.ts'
import { takeFreePorts } from './node/free-ports.ts'
import { onFreePorts } from './node/on-free-ports.ts'
import { createRabbitNode, type RabbitNode } from './node/rabbit-node.ts'
import { runCommand } from './run-command.ts'
import { findBrokerSource, wantedVersion } from './source/find-broker-source.ts'
import { createCookie, requireNodeSource } from './start-rabbit-node.ts'

export interface ClusterOptions {
  /** @default 3 */
  readonly nodes?: number
  /** @default WARREN_BROKER_VERSION, or the one at hand */
  readonly version?: string | undefined
  readonly plugins?: readonly string[]
  readonly config?: Readonly<Record<string, string | number | boolean>>
  /** As `startRabbitNode` has it. */
  readonly deadLetterResendMs?: number
}

/** Nodes that share one cookie and are joined. End them together, by `destroy()` of the cluster. */
export interface RabbitCluster {
  readonly nodes: readonly RabbitNode[]
  /** The node that leads a quorum queue, as the nodes that answer see it. Throws while there is none. */
  leaderOf(queue: string, options?: { vhost?: string }): Promise<RabbitNode>
  destroy(): Promise<void>
}

/** Starts nodes and joins them; three take about half a minute. */
export function startCluster(options: ClusterOptions = {}): Promise<RabbitCluster> {
  return onFreePorts(() => startAndJoin(options))
}

async function startAndJoin(options: ClusterOptions): Promise<RabbitCluster> {
  const { nodes: count = 3, version = wantedVersion(), plugins = [], config = {} } = options
  const { deadLetterResendMs } = options
  const source = requireNodeSource(await findBrokerSource({ version }))
  const network = source.kind === 'docker' ? await createNetwork() : undefined
  const [epmdPort] = (await takeFreePorts(1)) as [number]
  const [cookie, password] = [createCookie(), createCookie()]
  const settings = { plugins, config, hasTls: false, deadLetterResendMs }
  const shared = { source, ...settings, cookie, password, epmdPort }
  const nodes: RabbitNode[] = []

  async function destroy(): Promise<void> {
    await Promise.all(nodes.map((node) => node.destroy()))
    if (network) await runCommand('docker', ['network', 'rm', network])
  }

  try {
    for (let index = 0; index < count; index += 1) {
      nodes.push(await createRabbitNode({ ...shared, ...(network && { network }) }))
    }
    await Promise.all(nodes.map((node) => node.start()))
    await joinAll(nodes)
  } catch (error) {
    await destroy()
    throw error
  }
  return { nodes, leaderOf: (queue, { vhost = '/' } = {}) => findLeader(nodes, queue, vhost), destroy }
}

async function createNetwork(): Promise<string> {
  const network = `warren-${createCookie().slice(0, 8).toLowerCase()}`
  await runCommand('docker', ['network', 'create', network])
  return network
}

async function joinAll([first, ...others]: readonly RabbitNode[]): Promise<void> {
  if (!first) return
  // One after the other: two nodes that join at once may wait for each other.
  for (const node of others) {
    await node.rabbitmqctl('stop_app')
    await node.rabbitmqctl('join_cluster', first.name)
    await node.rabbitmqctl('start_app')
  }
}

async function findLeader(nodes: readonly RabbitNode[], queue: string, vhost: string): Promise<RabbitNode> {
  const path = `/api/queues/${encodeURIComponent(vhost)}/${encodeURIComponent(queue)}`
  const answers = nodes.map((node) => callManagement<{ leader?: string }>(node, 'GET', path))
  const { leader } = await Promise.any(answers)
  const found = nodes.find(({ name }) => name === leader)
  if (!found) throw new Error(`Queue "${queue}" has no leader among the nodes (${leader ?? 'none'}).`)
  return found
}
