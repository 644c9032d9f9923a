import { expect } from 'vitest'
import type { AmqpChannel } from '../../../packages/warrenmq/src/broker/amqp/channel.ts'
import { deleteQueue, inspectQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { applyPlan } from '../../../packages/warrenmq/src/deploy/apply-plan.ts'
import { planBlindly } from '../../../packages/warrenmq/src/deploy/plan-deployment.ts'
import { Publisher } from '../../../packages/warrenmq/src/publisher/publisher.ts'
import type { TopologyDeclaration } from '../../../packages/warrenmq/src/topology/declaration.ts'
import { proveTopology } from '../../../packages/warrenmq/src/topology/prove/prove-topology.ts'
import { eventually } from '../../support/eventually.ts'
import { createVhost } from '../../support/use-broker.ts'
import { type Content, readMessage, type TopologyLab } from './topology-lab.ts'

/**
 * The same on the real broker, in a vhost of its own. To look is to empty, so it can be done once, at the end; dead
 * letters that are kept in a queue cannot be seen, and the node is not restarted.
 */
export async function openRealLab(topology: TopologyDeclaration): Promise<TopologyLab> {
  const broker = await createVhost()
  const session = await Session.open(broker.url)
  const publisher = new Publisher(session)
  const { wanted, plan } = planBlindly(topology, broker.version)
  const report = await applyPlan(session, plan)
  expect(report.results.filter(({ outcome }) => outcome.kind !== 'done')).toEqual([])

  const onChannel = async <Result>(act: (channel: AmqpChannel) => Promise<Result>): Promise<Result> => {
    const channel = await session.openChannel()
    const result = await act(channel)
    await channel.close()
    return result
  }
  const isThere = async (queue: string) =>
    onChannel(async (channel) => (await channel.get(queue)) !== undefined)
  const publish: TopologyLab['publish'] = async (message) => {
    const { kind } = await publisher.publish(readMessage(message))
    return kind === 'confirmed' ? 'taken' : kind === 'returned' ? 'unrouted' : 'refused'
  }
  const unable = () => Promise.reject(new Error('This cannot be done to the broker of all tests.'))
  return {
    wanted,
    proof: proveTopology(wanted),
    publish,
    send: (queue, body) => publish({ key: queue, body }),
    reject: (queue) =>
      onChannel(async (channel) => {
        const got = await eventually(async () => (await channel.get(queue)) ?? false, {
          what: `a message in ${queue}`,
        })
        channel.nack(got.deliveryTag, { requeue: false })
        return true
      }),
    // What was returned is back a moment after its channel has closed.
    giveBack: (queue) => eventually(() => isThere(queue), { intervalMs: 5, what: `a message in ${queue}` }),
    visit: unable,
    pass: unable,
    restart: unable,
    expire: async (queue) => {
      await eventually(async () => {
        const { messageCount } = await onChannel((channel) => inspectQueue(channel, queue))
        expect(messageCount).toBe(0)
      })
    },
    remove: async (queue) => void (await onChannel((channel) => deleteQueue(channel, queue))),
    look: async (names = wanted.queues.map(({ name }) => name)) => {
      const contents: (readonly [string, Content])[] = []
      for (const name of names) {
        contents.push([name, { bodies: await onChannel((channel) => drain(channel, name)), stuck: 0 }])
      }
      return new Map(contents)
    },
    close: async () => {
      await publisher.close()
      await session.close()
      await broker.drop()
    },
  }
}

async function drain(channel: AmqpChannel, queue: string): Promise<readonly string[]> {
  const bodies: string[] = []
  for (;;) {
    const got = await channel.get(queue, { noAck: true })
    if (got === undefined) return bodies
    bodies.push(String(got.body))
  }
}
