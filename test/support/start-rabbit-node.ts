import { randomBytes } from 'node:crypto'
import { onFreePorts } from './node/on-free-ports.ts'
import { createRabbitNode, type RabbitNode } from './node/rabbit-node.ts'
import type { BrokerSource } from './source/broker-source.ts'
import { BrokerUnavailableError } from './source/broker-unavailable-error.ts'
import { findBrokerSource, wantedVersion } from './source/find-broker-source.ts'

export type { NodeTls, RabbitNode } from './node/rabbit-node.ts'

export interface RabbitNodeOptions {
  /** "3.10", "4.0", "4.3"… @default WARREN_BROKER_VERSION, or the one at hand */
  readonly version?: string | undefined
  /** Plugins besides rabbitmq_management. */
  readonly plugins?: readonly string[]
  /** Lines of rabbitmq.conf, such as `{ 'vm_memory_high_watermark.relative': 0.4 }`. */
  readonly config?: Readonly<Record<string, string | number | boolean>>
  /**
   * How long a dead letter waits for its target to confirm it until it is sent again. Unlike what is set on a running
   * node it also holds for the queues that start with it. @default 180000, as RabbitMQ has it
   */
  readonly deadLetterResendMs?: number
  /** Adds an amqps:// listener with certificates of its own. @default false */
  readonly tls?: boolean
}

/** Starts a private node and settles when AMQP and HTTP answer. It dies with this process at the latest. */
export async function startRabbitNode(options: RabbitNodeOptions = {}): Promise<RabbitNode> {
  const { version = wantedVersion(), plugins = [], config = {}, tls = false, deadLetterResendMs } = options
  const source = requireNodeSource(await findBrokerSource({ version }))
  return onFreePorts(async () => {
    const settings = { plugins, config, hasTls: tls, deadLetterResendMs }
    const node = await createRabbitNode({ source, ...settings, cookie: createCookie() })
    await startOrDestroy(node)
    return node
  })
}

/** Only a broker that we start ourselves can be killed, paused or clustered. */
export function requireNodeSource(source: BrokerSource): Exclude<BrokerSource, { kind: 'url' }> {
  if (source.kind !== 'url') return source
  throw new BrokerUnavailableError(
    'This needs a node of its own, and only the broker behind AMQP_URL can be had here. ' +
      'Run as root on Debian, or start Docker.',
  )
}

export function createCookie(): string {
  return randomBytes(16).toString('hex').toUpperCase()
}

async function startOrDestroy(node: RabbitNode): Promise<void> {
  try {
    await node.start()
  } catch (error) {
    await node.destroy()
    throw error
  }
}
