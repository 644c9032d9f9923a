import { realClock } from '../clock.ts'
import { addVhost, createBroker, grant } from './model/broker.ts'
import type { ProfileName } from './model/profile.ts'
import { profiles } from './model/profiles/profiles.ts'
import { createVirtualClock } from './model/virtual-clock.ts'
import { startAmqpServer } from './server/amqp-server.ts'
import { createFaults, type FaultSwitches } from './server/faults.ts'
import { type BrokerClock, settle, steerVirtualClock } from './server/steer-clock.ts'

export interface EmbeddedBrokerOptions {
  /** The version of RabbitMQ to behave as. @default '4.3' */
  readonly profile?: ProfileName
  /** `virtual` stands still until it is advanced. @default 'real' */
  readonly clock?: 'real' | 'virtual'
  /** Where AMQP clients connect; 0 lets the system choose. @default 0 */
  readonly port?: number
  /** Vhosts beside `/`; the user `guest` may do everything in them. */
  readonly vhosts?: readonly string[]
  /** For the names that the broker gives to queues and consumers. @default 1 */
  readonly seed?: number
}

/** A broker inside this process, listening on loopback. */
export interface EmbeddedBroker {
  /** For AMQP clients, with the user `guest` and the vhost `/`. */
  readonly url: string
  readonly port: number
  readonly clock: BrokerClock
  readonly faults: FaultSwitches
  /** Waits until every client has what it was sent and nothing more goes to and fro. */
  settled(): Promise<void>
  /** Ends every connection and gives the ports back. */
  stop(): Promise<void>
}

export async function startEmbeddedBroker(options: EmbeddedBrokerOptions = {}): Promise<EmbeddedBroker> {
  const { profile = '4.3', clock: clockKind = 'real', port = 0, seed = 1, vhosts = [] } = options
  const virtualClock = clockKind === 'virtual' ? createVirtualClock(realClock.now()) : undefined
  const clock = virtualClock ?? realClock
  const broker = createBroker({ profile: profiles[profile], clock, seed })
  for (const vhost of vhosts) {
    addVhost(broker, vhost)
    grant(broker, { vhost, user: 'guest', permission: { configure: '.*', write: '.*', read: '.*' } })
  }
  const faults = createFaults(clock, () => {
    for (const connection of amqp.connections) connection.applyBlock()
  })
  const amqp = await startAmqpServer({ broker, faults, clusterName: 'embedded@warren', port, report })
  return {
    url: `amqp://guest:guest@127.0.0.1:${amqp.port}`,
    port: amqp.port,
    clock: virtualClock ? steerVirtualClock(virtualClock, () => amqp.connections) : runningClock,
    faults,
    settled: () => settle(() => amqp.connections),
    stop: () => amqp.stop(),
  }
}

const runningClock: BrokerClock = {
  now: () => realClock.now(),
  advance: async () => {
    throw new Error("This broker runs on real time. Start it with { clock: 'virtual' } to turn its clock.")
  },
}

/** A mistake of the broker must not hide behind a closed connection. */
function report(error: unknown): void {
  queueMicrotask(() => {
    throw error
  })
}
