import { expect } from 'vitest'
import type { AmqpChannel } from '../../../packages/warrenmq/src/broker/amqp/channel.ts'
import { deleteQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { applyPlan } from '../../../packages/warrenmq/src/deploy/apply-plan.ts'
import { planBlindly } from '../../../packages/warrenmq/src/deploy/plan-deployment.ts'
import { Publisher } from '../../../packages/warrenmq/src/publisher/publisher.ts'
import { type ProfileName, startEmbeddedBroker } from '../../../packages/warrenmq/src/testing.ts'
import type { CompiledTopology } from '../../../packages/warrenmq/src/topology/compiled-topology.ts'
import type { TopologyDeclaration } from '../../../packages/warrenmq/src/topology/declaration.ts'
import { type Proof, proveTopology } from '../../../packages/warrenmq/src/topology/prove/prove-topology.ts'

/** A topology on a broker of its own, and what the proof says of it. */
export interface TopologyLab {
  readonly wanted: CompiledTopology
  readonly proof: Proof
  /** taken: some queue has it. The rest the publisher was told. */
  publish(message: { exchange?: string; key: string; body: string }): Promise<Taken>
  /** Straight into the queue, with an expiration where the topology says that its producers set one. */
  send(queue: string, body: string): Promise<Taken>
  /** Takes the first message and rejects it, if there is one. */
  reject(queue: string): Promise<boolean>
  /** Takes the first message and closes the channel, which every version counts as a return. */
  giveBack(queue: string): Promise<boolean>
  /** Consumes nothing and leaves, which ends a queue that deletes itself. */
  visit(queue: string): Promise<void>
  pass(milliseconds: number): Promise<void>
  /** Lets the time pass after which a message of this queue expires. */
  expire(queue: string, milliseconds: number): Promise<void>
  /** The broker is down for a while. */
  restart(downMs: number): Promise<void>
  remove(queue: string): Promise<void>
  /** Every queue that is there, or those of these names, with what is in it. */
  look(names?: readonly string[]): Promise<Snapshot>
  close(): Promise<void>
}

interface PublishedMessage {
  readonly exchange?: string
  readonly key: string
  readonly body: string
  readonly expirationMs?: number
}

type Taken = 'taken' | 'refused' | 'unrouted'

/** Without what else an address brings along, which a publisher refuses. */
export function readMessage({ exchange, key, body, expirationMs }: PublishedMessage): PublishedMessage {
  return {
    key,
    body,
    ...(exchange !== undefined && { exchange }),
    ...(expirationMs !== undefined && { expirationMs }),
  }
}

export interface Content {
  /** Of the messages that a consumer could have, in order. */
  readonly bodies: readonly string[]
  /** Dead letters that are kept in the queue because their way is barred. */
  readonly stuck: number
}

export type Snapshot = ReadonlyMap<string, Content>

/** On a broker inside this process, whose time stands still until it is told to pass. */
export async function openTopologyLab(
  topology: TopologyDeclaration,
  profile: ProfileName,
): Promise<TopologyLab> {
  const broker = await startEmbeddedBroker({ profile, clock: 'virtual' })
  const session = await Session.open(broker.url, { backoff: { initialMs: 1, maxMs: 5 } })
  const publisher = new Publisher(session)
  const { wanted, plan } = planBlindly(topology, session.broker.version)
  const report = await applyPlan(session, plan)
  expect(report.results.filter(({ outcome }) => outcome.kind !== 'done')).toEqual([])

  const onChannel = async <Result>(act: (channel: AmqpChannel) => Promise<Result>): Promise<Result> => {
    const channel = await session.openChannel()
    const result = await act(channel)
    await channel.close()
    await broker.settled()
    return result
  }
  const publish = async (message: PublishedMessage): Promise<Taken> => {
    const { kind } = await publisher.publish(readMessage(message))
    await broker.settled()
    return kind === 'confirmed' ? 'taken' : kind === 'returned' ? 'unrouted' : 'refused'
  }
  return {
    wanted,
    proof: proveTopology(wanted),
    publish,
    send: (queue, body) => {
      const of = wanted.publications.find(({ key }) => key === queue)
      return publish({ key: queue, body, ...(of && { expirationMs: Number(of.expiration) }) })
    },
    reject: (queue) =>
      onChannel(async (channel) => {
        const got = await channel.get(queue)
        if (got !== undefined) channel.nack(got.deliveryTag, { requeue: false })
        return got !== undefined
      }),
    giveBack: (queue) => onChannel(async (channel) => (await channel.get(queue)) !== undefined),
    visit: (queue) =>
      onChannel(async (channel) => {
        await channel.cancel(await channel.consume(queue, () => undefined))
      }),
    pass: (milliseconds) => broker.clock.advance(milliseconds),
    expire: (_queue, milliseconds) => broker.clock.advance(milliseconds),
    restart: async (downMs) => {
      await broker.faults.crash()
      await broker.clock.advance(downMs)
      await broker.faults.restart()
      await session.whenConnected()
      await broker.settled()
    },
    remove: async (queue) => {
      await onChannel((channel) => deleteQueue(channel, queue))
    },
    look: async (names = wanted.queues.map(({ name }) => name)) =>
      new Map(
        names.flatMap((name) => {
          const inspected = broker.inspect(name)
          if (inspected === undefined) return []
          const { messages, counts } = inspected
          return [[name, { bodies: messages.map(({ body }) => String(body)), stuck: counts.deadLetters }]]
        }),
      ),
    close: async () => {
      await publisher.close()
      await session.close()
      await broker.stop()
    },
  }
}
