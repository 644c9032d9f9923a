import { realClock } from '../clock.ts'
import type { Duration } from '../message/duration.ts'
import { readTimes } from '../message/read-times.ts'
import { refuseChoice } from '../message/refuse-choice.ts'
import { type OptionNames, refuseUnknown } from '../message/refuse-unknown.ts'
import { type InspectedQueue, inspectQueue } from './inspect-queue.ts'
import { loadDefinitions } from './load-definitions.ts'
import { bringUp, takeDown } from './model/bring-up.ts'
import { addVhost, createBroker, grant } from './model/create-broker.ts'
import type { ProfileName } from './model/profile.ts'
import { profiles } from './model/profiles/profiles.ts'
import { ProtocolError } from './model/protocol-error.ts'
import { createVirtualClock } from './model/virtual-clock.ts'
import { type AmqpServer, startAmqpServer } from './server/amqp-server.ts'
import { createDeliveryNotes } from './server/consumers-in-hand.ts'
import { createFaults, type FaultSwitches } from './server/faults.ts'
import { startManagementServer } from './server/management/management-server.ts'
import { type SettleOptions, settle } from './server/settle.ts'
import { type BrokerClock, steerVirtualClock } from './server/steer-virtual-clock.ts'
import { createStoppableClock } from './server/stoppable-clock.ts'
import { createWake } from './server/wake.ts'

/** How an embedded broker behaves. */
export interface EmbeddedBrokerOptions {
  /**
   * The version of RabbitMQ to behave as. @default '4.3'
   * @example { profile: '3.10' }
   */
  readonly profile?: ProfileName
  /**
   * `virtual` stands still until it is advanced. @default 'real'
   * @example { clock: 'virtual' }
   */
  readonly clock?: 'real' | 'virtual'
  /**
   * Where AMQP clients connect; 0 lets the system choose. @default 0
   * @example { port: 5672 }
   */
  readonly port?: number
  /**
   * Where the HTTP API answers; 0 lets the system choose. @default 0
   * @example { managementPort: 15672 }
   */
  readonly managementPort?: number
  /**
   * Vhosts in addition to `/`; the user `guest` may do everything in them.
   * @example { vhosts: ['billing'] }
   */
  readonly vhosts?: readonly string[]
  /**
   * What it starts with: an export of RabbitMQ's HTTP API, or what `warren export` writes.
   * @example { definitions: JSON.parse(readFileSync('definitions.json', 'utf8')) }
   */
  readonly definitions?: object
  /**
   * For the names that the broker gives to queues and consumers, and the order of confirms. @default 1
   * @example { seed: 7 }
   */
  readonly seed?: number
  /**
   * `shuffled`: confirms of publishes to different queues come in any order, as RabbitMQ sends them; the seed says which.
   * `in-order`: in the order of the publishes.
   * @default 'shuffled'
   * @example { confirms: 'in-order' }
   */
  readonly confirms?: 'shuffled' | 'in-order'
  /**
   * How long `clock.advance` and `settled` wait, in real time, for handlers to end and clients to come to rest. @default '30s'
   * @example { settleTimeout: '10s' }
   */
  readonly settleTimeout?: Duration
  /**
   * The same as `settleTimeout`, in milliseconds.
   * @example { settleTimeoutMs: 10_000 }
   */
  readonly settleTimeoutMs?: number
  /**
   * How long time waits at least, in real time, for what a client says after it has settled its deliveries. Every turn of the
   * clock that delivers something takes as long. For handlers that acknowledge first and then ask something outside of this process.
   * @default '5ms'
   * @example { quiet: '20ms' }
   */
  readonly quiet?: Duration
  /**
   * The same as `quiet`, in milliseconds.
   * @example { quietMs: 20 }
   */
  readonly quietMs?: number
  /**
   * How long a virtual clock waits at most, in real time, for timers that were started in this process after a delivery, and for
   * files and names of hosts. Repeated timers and those that do not keep the process alive are not waited for.
   * @default '1s'
   * @example { timers: '100ms' }
   */
  readonly timers?: Duration
  /**
   * The same as `timers`, in milliseconds.
   * @example { timersMs: 100 }
   */
  readonly timersMs?: number
}

/** Faults that concern the broker as a whole, with those of its connections. */
export interface EmbeddedFaults extends FaultSwitches {
  /**
   * Closes every open channel, or those that consume from `queue`, as a channel error would.
   * @example
   * ```ts
   * broker.faults.closeChannels({ queue: 'orders' })
   * ```
   */
  closeChannels(options?: { readonly queue?: string; readonly reason?: string }): void
  /**
   * The broker is gone with its HTTP API, as after kill -9, until `restart`.
   * @example
   * ```ts
   * await broker.faults.crash()
   * ```
   */
  crash(): Promise<void>
  /**
   * It comes back on the same ports, with what is durable.
   * @example
   * ```ts
   * await broker.faults.crash()
   * await broker.faults.restart()
   * ```
   */
  restart(): Promise<void>
}

/** A broker inside this process, listening on loopback. */
export interface EmbeddedBroker {
  /** Of the RabbitMQ it behaves as, e.g. `4.3.6`. */
  readonly version: string
  /** For AMQP clients, with the user `guest` and the vhost `/`. */
  readonly url: string
  /** The port of `url`. */
  readonly port: number
  /** For clients of the HTTP API, with the same user. */
  readonly managementUrl: string
  /** The port of `managementUrl`. */
  readonly managementPort: number
  /** The time that the broker goes by. */
  readonly clock: BrokerClock
  /** Faults on demand. */
  readonly faults: EmbeddedFaults
  /**
   * What is in a queue, without touching it; undefined if there is none. @default vhost '/'
   * @example
   * ```ts
   * console.log(broker.inspect('orders.dlq')?.messages.length)
   * ```
   */
  inspect(queue: string, options?: { readonly vhost?: string }): InspectedQueue | undefined
  /**
   * Waits until every client has what it was sent, its handlers have settled it, and nothing more is on its way.
   * Rejects if that never happens, for example if a handler keeps giving messages back, and names who holds what.
   * @example
   * ```ts
   * await broker.settled()
   * ```
   */
  settled(options?: SettleOptions): Promise<void>
  /**
   * Ends every connection, gives the ports back and calls off all that would fall due.
   * @example
   * ```ts
   * await broker.stop()
   * ```
   */
  stop(): Promise<void>
  /** `await using broker = await startEmbeddedBroker()` stops it at the end of the block. */
  [Symbol.asyncDispose](): Promise<void>
}

const brokerOptions: OptionNames<EmbeddedBrokerOptions> = {
  profile: true,
  clock: true,
  port: true,
  managementPort: true,
  vhosts: true,
  definitions: true,
  seed: true,
  confirms: true,
  settleTimeout: true,
  settleTimeoutMs: true,
  quiet: true,
  quietMs: true,
  timers: true,
  timersMs: true,
}

const everything = { configure: '.*', write: '.*', read: '.*' }
const nodeName = 'embedded@localhost'

/**
 * Starts a broker inside this process that behaves as a version of RabbitMQ does.
 * @example
 * ```ts
 * await using broker = await startEmbeddedBroker({ profile: '4.3', clock: 'virtual' })
 * await broker.clock.advance('30m')
 * ```
 */
export async function startEmbeddedBroker(options: EmbeddedBrokerOptions = {}): Promise<EmbeddedBroker> {
  refuseUnknown('startEmbeddedBroker()', options, brokerOptions)
  refuseChoice('profile', options.profile, Object.keys(profiles))
  refuseChoice('clock', options.clock, ['real', 'virtual'])
  const { profile = '4.3', clock: clockKind = 'real', port = 0, managementPort = 0, seed = 1 } = options
  const times = readTimes('startEmbeddedBroker()', options, ['settleTimeout', 'quiet', 'timers'])
  const settling = {
    connections: () => amqp.connections,
    timeoutMs: times.settleTimeoutMs ?? 30_000,
    // `await sleep(0)` and a publish behind an ack are common.
    quietMs: times.quietMs ?? 5,
    wake: createWake({ timersMs: times.timersMs ?? 1000 }),
    sent: createDeliveryNotes(),
    answerable: createDeliveryNotes(),
  }
  const virtualClock = clockKind === 'virtual' ? createVirtualClock(realClock.now()) : undefined
  // Where time goes on by itself nobody may ever wait, and the watch would never end.
  const onDelivery = virtualClock ? settling.wake.open : () => undefined
  const stoppableClock = createStoppableClock(realClock)
  const clock = virtualClock ?? stoppableClock
  const broker = createBroker({
    profile: profiles[profile],
    clock,
    seed,
    confirmsInOrder: options.confirms === 'in-order',
  })
  for (const vhost of options.vhosts ?? []) {
    addVhost(broker, vhost)
    grant(broker, { vhost, user: 'guest', permission: everything })
  }
  if (options.definitions) loadDefinitions(broker, options.definitions)
  const switches = createFaults(clock, () => {
    for (const connection of amqp.connections) connection.endBlock()
  })
  const amqp = await startAmqpServer({
    broker,
    faults: switches,
    clusterName: nodeName,
    port,
    onDelivery,
    report,
  })
  const connections = () => amqp.connections
  const management = await startManagementServer(
    { broker, faults: switches, connections, clusterName: nodeName, nodeName, amqpPort: amqp.port },
    { port: managementPort, report },
  ).catch(async (error: unknown) => {
    await amqp.stop() // whoever is told that it did not start must not find half of it
    throw error
  })
  const stop = async () => {
    await Promise.all([amqp.stop(), management.stop()])
    stoppableClock.stop()
    settling.wake.end()
  }
  return {
    version: broker.profile.version,
    url: `amqp://guest:guest@127.0.0.1:${amqp.port}`,
    port: amqp.port,
    managementUrl: `http://guest:guest@127.0.0.1:${management.port}`,
    managementPort: management.port,
    clock: virtualClock ? steerVirtualClock(virtualClock, settling) : runningClock,
    faults: {
      ...switches,
      closeChannels: (which) => closeChannels(amqp, which),
      crash: async () => {
        takeDown(broker)
        await Promise.all([amqp.crash(), management.stop()])
      },
      restart: async () => {
        bringUp(broker)
        await Promise.all([amqp.reopen(), management.reopen()])
      },
    },
    inspect: (queue, options = {}) => {
      refuseUnknown('inspect()', options, { vhost: true })
      return inspectQueue(broker, { vhost: options.vhost ?? '/', queue })
    },
    settled: async (settleOptions = {}) => {
      refuseUnknown('settled()', settleOptions, { held: true })
      await settle(settling, settleOptions)
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

function closeChannels(
  { connections }: AmqpServer,
  options: { readonly queue?: string; readonly reason?: string } = {},
): void {
  refuseUnknown('closeChannels()', options, { queue: true, reason: true })
  const { queue, reason = 'closed by a fault' } = options
  for (const { channels } of connections) {
    for (const channel of channels.values()) {
      const consumed = [...channel.model.consumers.values()].map((active) => active.queue.name)
      if (queue !== undefined && !consumed.includes(queue)) continue
      const error = new ProtocolError('PRECONDITION_FAILED', reason)
      channel.model.broker.inbox.run(() => channel.refuse(error, undefined))
    }
  }
}

const runningClock: BrokerClock = {
  now: () => realClock.now(),
  advance: () =>
    Promise.reject(
      new Error("This broker runs on real time. Start it with { clock: 'virtual' } to control its clock."),
    ),
}

/** A mistake of the broker must not hide behind a closed connection. */
function report(error: unknown): void {
  queueMicrotask(() => {
    throw error
  })
}
