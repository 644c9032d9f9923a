import type { Socket } from 'node:net'
import { bringUp, takeDown } from '../../packages/warrenmq/src/embedded/model/bring-up.ts'
import type { Broker } from '../../packages/warrenmq/src/embedded/model/broker.ts'
import { createBroker, grant } from '../../packages/warrenmq/src/embedded/model/create-broker.ts'
import type { ProfileName } from '../../packages/warrenmq/src/embedded/model/profile.ts'
import { profiles } from '../../packages/warrenmq/src/embedded/model/profiles/profiles.ts'
import type { AmqpConnection } from '../../packages/warrenmq/src/embedded/server/amqp-connection.ts'
import { createAmqpConnection } from '../../packages/warrenmq/src/embedded/server/create-amqp-connection.ts'
import {
  createFaults,
  type FaultPlan,
  type FaultSwitches,
} from '../../packages/warrenmq/src/embedded/server/faults.ts'
import { answerRequest } from '../../packages/warrenmq/src/embedded/server/management/management-server.ts'
import { SimProcess } from '../world/sim-process.ts'
import type { SimSocket } from '../world/sim-socket.ts'
import { epochMs, type Universe } from '../world/universe.ts'

export const brokerHost = 'broker'
export const amqpPort = 5672
export const managementPort = 15672
const authorization = `Basic ${Buffer.from('root:root').toString('base64')}`

/** The embedded broker's model and its servers, behind pipes instead of sockets. */
export class SimBroker {
  readonly process = new SimProcess('broker')
  readonly model: Broker
  readonly faults: FaultPlan & FaultSwitches
  readonly connections = new Set<AmqpConnection>()
  /** Connections that ended without a goodbye. */
  brokenConnections = 0
  readonly #universe: Universe
  readonly #clients = new WeakMap<AmqpConnection, SimProcess>()
  readonly #onMistake: (error: unknown) => void
  isListening = true

  constructor(
    universe: Universe,
    fields: { profile: ProfileName; seed: number; onMistake: (error: unknown) => void },
  ) {
    this.#universe = universe
    this.#onMistake = fields.onMistake
    const { loop, network, http } = universe
    const clock = {
      now: () => epochMs + Math.floor(loop.nowMs) + this.process.clockOffsetMs,
      schedule: (delayMs: number, task: () => void) => {
        const event = loop.after(Math.max(0, delayMs), this.process, 'broker clock', task)
        return () => {
          event.run = undefined
        }
      },
    }
    this.model = createBroker({ profile: profiles[fields.profile], clock, seed: fields.seed })
    const credentials = { kind: 'password', password: 'root' } as const
    this.model.users.set('root', { name: 'root', tags: ['administrator'], credentials })
    const permission = { configure: '.*', write: '.*', read: '.*' }
    grant(this.model, { vhost: '/', user: 'root', permission })
    this.faults = createFaults(clock, () => {
      for (const connection of this.connections) connection.endBlock()
    })
    network.listen(brokerHost, amqpPort, this)
    http.listen(this)
  }

  accept(socket: SimSocket): void {
    if (this.faults.isRefusing) {
      socket.resetAndDestroy()
      return
    }
    const host = {
      broker: this.model,
      faults: this.faults,
      clusterName: 'sim@broker',
      connections: () => this.connections,
      onDelivery: () => undefined,
      report: this.#onMistake,
    }
    let hasSaidGoodbye = false
    const onEnd = (ended: AmqpConnection): void => {
      if (!hasSaidGoodbye) this.brokenConnections += 1
      this.connections.delete(ended)
    }
    socket.once('end', () => {
      hasSaidGoodbye = true
    })
    const connection = createAmqpConnection(socket as unknown as Socket, host, onEnd)
    this.connections.add(connection)
    const pipe = [...this.#universe.network.pipes].find(({ server }) => server === socket)
    if (pipe) this.#clients.set(connection, pipe.client.process)
  }

  /** What an administrator reads, at once. */
  ask(path: string): Promise<{ status: number; body: string }> {
    return this.answer({ url: `/api/${path}`, headers: { authorization } })
  }

  /** What an administrator does, at once. */
  async administer(method: 'PUT' | 'POST' | 'DELETE', path: string, json: object = {}): Promise<void> {
    const { status } = await this.answer({ method, url: `/api/${path}`, headers: { authorization }, json })
    if (status >= 400 && status !== 404) throw new Error(`${method} ${path} answers ${status}`)
  }

  async answer({
    json: sent,
    ...request
  }: {
    method?: string
    url: string
    headers: Record<string, string>
    json?: object
  }): Promise<{ status: number; body: string }> {
    const scope = {
      broker: this.model,
      faults: this.faults,
      connections: () => this.connections,
      clusterName: 'sim@broker',
      nodeName: 'sim@broker',
      amqpPort,
      managementPort: () => managementPort,
    }
    const body = (async function* () {
      if (sent) yield Buffer.from(JSON.stringify(sent))
    })() as AsyncIterable<Buffer>
    const asked = Object.assign(body, { method: 'GET', ...request })
    const { status, json } = await answerRequest(scope, asked, this.#onMistake)
    return { status, body: json === undefined ? '' : JSON.stringify(json) }
  }

  /** The connection that a channel belongs to, as queues know it. */
  ownerOf(channel: object): AmqpConnection | undefined {
    return [...this.connections].find(({ channels }) =>
      [...channels.values()].some(({ model }) => model.port === channel),
    )
  }

  /** The process that speaks on such a channel. */
  speakerOf(channel: object): SimProcess | undefined {
    const owner = this.ownerOf(channel)
    return owner && this.#clients.get(owner)
  }

  /** As kill -9 of the node: every connection breaks, and what is not durable is lost. */
  crash(): void {
    if (!this.isListening) return
    this.isListening = false
    takeDown(this.model)
    for (const connection of this.connections) connection.cut()
  }

  restart(): void {
    if (this.isListening) return
    bringUp(this.model)
    this.isListening = true
  }

  get now(): number {
    return this.#universe.loop.nowMs
  }
}
