import { once } from 'node:events'
import amqplib, { type ConsumeMessage } from 'amqplib'
import { Connection } from 'rabbitmq-client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startEmbeddedBroker } from '../../../packages/warrenmq/src/embedded/start-embedded-broker.ts'
import { createConsumerRig } from './consumer-rig.ts'

/** Takes each message from `work` to `wait`, and acknowledges it between the two halves of its handler. */
type Client = (rig: {
  readonly url: string
  readonly beforeAck: () => Promise<void>
  readonly afterAck: () => Promise<void>
}) => Promise<{ publish: (queue: string) => Promise<unknown> }>

const clients: Readonly<Record<string, Client>> = {
  amqplib: async ({ url, beforeAck, afterAck }) => {
    const connection = await amqplib.connect(url)
    onTestFinished(() => connection.close())
    const channel = await connection.createChannel()
    await channel.assertQueue('work')
    const publish = async (queue: string): Promise<unknown> => channel.sendToQueue(queue, Buffer.from('x'))
    const handle = async (message: ConsumeMessage | null): Promise<void> => {
      await beforeAck()
      channel.ack(message!)
      await afterAck()
      await publish('wait')
    }
    await channel.consume('work', (message) => void handle(message))
    return { publish }
  },

  'rabbitmq-client': async ({ url, beforeAck, afterAck }) => {
    const connection = new Connection(url)
    const publisher = connection.createPublisher()
    const publish = (queue: string): Promise<unknown> => publisher.send(queue, 'x')
    const options = { queue: 'work', queueOptions: { durable: true } }
    const consumer = connection.createConsumer(options, async () => {
      await beforeAck()
      void afterAck().then(() => publish('wait'))
    })
    await once(consumer, 'ready')
    onTestFinished(async () => {
      await consumer.close()
      await publisher.close()
      await connection.close()
    })
    return { publish }
  },

  warrenmq: async ({ url, beforeAck, afterAck }) => {
    const { consume, publisher } = await createConsumerRig({ url, declaration: { queues: { work: {} } } })
    const publish = (queue: string): Promise<unknown> => publisher.publish({ key: queue, body: 'x' })
    await consume('work', async () => {
      await beforeAck()
      void afterAck().then(() => publish('wait'))
    })
    return { publish }
  },
}

const holdsMs = [0, 10, 60, 300]
const cases = [0, 60].flatMap((before) => holdsMs.map((after) => ({ before, after })))

describe.each(Object.entries(clients))('with %s', (_, open) => {
  test.for(cases)(
    'time waits for a handler that takes $before ms before its ack and $after ms before it publishes',
    async ({ before, after }) => {
      const broker = await startEmbeddedBroker({ clock: 'virtual' })
      onTestFinished(() => broker.stop())
      await declareWait(broker.url)
      const startedAt = broker.clock.now()
      const minutes: number[] = []
      const { publish } = await open({
        url: broker.url,
        beforeAck: () => {
          minutes.push((broker.clock.now() - startedAt) / 60_000)
          return sleep(before)
        },
        afterAck: () => sleep(after),
      })

      await publish('work')
      await broker.clock.advance('30m')

      expect(minutes).toEqual([0, 10, 20, 30])
    },
  )
})

async function declareWait(url: string): Promise<void> {
  const connection = await amqplib.connect(url)
  const channel = await connection.createChannel()
  await channel.assertQueue('wait', {
    messageTtl: 600_000,
    arguments: { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'work' },
  })
  await connection.close()
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
