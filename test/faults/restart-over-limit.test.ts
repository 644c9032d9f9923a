import amqplib from 'amqplib'
import { expect, onTestFinished, test } from 'vitest'
import { planBlindly } from '../../packages/warrenmq/src/deploy/plan-deployment.ts'
import { startEmbeddedBroker } from '../../packages/warrenmq/src/embedded/start-embedded-broker.ts'
import { proveTopology } from '../../packages/warrenmq/src/topology/prove/prove-topology.ts'
import { profileOf } from '../conformance/profile-of.ts'
import { eventually } from '../support/eventually.ts'
import { startRabbitNode } from '../support/start-rabbit-node.ts'
import { describeWithNode } from '../support/with-node.ts'

/** A broker that can be started again. */
interface Restartable {
  readonly url: string
  restart(): Promise<void>
}

const limited = { 'x-max-length': 3, 'x-overflow': 'reject-publish' }
const queues = {
  classic: { ...limited },
  quorum: { ...limited, 'x-queue-type': 'quorum' },
}

/** Three messages are held by a consumer, and three more fill the queue; so many are left after a restart. */
async function restartOverLimit({ url, restart }: Restartable): Promise<Record<string, number>> {
  const before = await amqplib.connect(url)
  before.on('error', () => undefined)
  const [publisher, consumer] = [await before.createConfirmChannel(), await before.createChannel()]
  const fill = async (queue: string) => {
    for (const body of '123') publisher.sendToQueue(queue, Buffer.from(body), { persistent: true })
    await publisher.waitForConfirms()
  }
  for (const [queue, args] of Object.entries(queues)) {
    await publisher.assertQueue(queue, { arguments: args })
    await fill(queue)
    for (let held = 0; held < 3; held += 1) await consumer.get(queue)
    await fill(queue)
  }
  await restart()
  const after = await amqplib.connect(url)
  const channel = await after.createChannel()
  const count = async (queue: string) => (await channel.checkQueue(queue)).messageCount
  // Its leader takes back a moment later what was held.
  const quorum = await eventually(async () => (await count('quorum')) > 3 && count('quorum'))
  const left = { classic: await count('classic'), quorum }
  await after.close()
  return left
}

/** What `warren check` says of such queues. */
function proveLimits(brokerVersion: string): readonly string[] {
  const { wanted } = planBlindly(
    {
      queues: Object.fromEntries(
        Object.keys(queues).map((queue) => [
          queue,
          { retry: false, deadLetter: false, type: queue as keyof typeof queues, arguments: limited },
        ]),
      ),
    },
    brokerVersion,
  )
  return proveTopology(wanted)
    .findings.filter(({ code }) => code === 'restart-drops')
    .map(({ queue }) => queue!)
}

describeWithNode('a restart of a broker whose queues hold more than their limit', () => {
  for (const end of ['stop', 'kill9'] as const) {
    test(`deletes from a classic queue what is above it, on RabbitMQ and in the embedded broker: ${end}`, async () => {
      const node = await startRabbitNode()
      onTestFinished(() => node.destroy())
      const embedded = await startEmbeddedBroker({ profile: profileOf(node.version)! })
      onTestFinished(embedded.stop)

      const onRabbit = await restartOverLimit({
        url: node.amqpUrl,
        restart: async () => {
          await node.syncRegistrations()
          await node[end]()
          await node.start()
        },
      })
      const onEmbedded = await restartOverLimit({
        url: embedded.url,
        restart: async () => {
          await embedded.faults.crash()
          await embedded.faults.restart()
        },
      })

      expect(onRabbit).toEqual({ classic: 3, quorum: 6 })
      expect(onEmbedded).toEqual(onRabbit)
      expect(proveLimits(node.version)).toEqual(['classic'])
    })
  }
})
