import amqplib, { type Channel } from 'amqplib'
import { expect, onTestFinished, test } from 'vitest'
import { type EmbeddedBroker, startEmbeddedBroker } from './start-embedded-broker.ts'

async function setup(): Promise<{ broker: EmbeddedBroker; channel: Channel }> {
  const broker = await startEmbeddedBroker({ clock: 'virtual', settleTimeoutMs: 300 })
  onTestFinished(broker.stop)
  await openChannel(broker) // one that has nothing to do
  return { broker, channel: await openChannel(broker) }
}

async function openChannel(broker: EmbeddedBroker): Promise<Channel> {
  const connection = await amqplib.connect(broker.url)
  connection.on('error', () => undefined)
  const channel = await connection.createChannel()
  channel.on('error', () => undefined)
  return channel
}

test.each<[string, (broker: EmbeddedBroker) => Promise<void>]>([
  ['waiting for rest', (broker) => broker.settled()],
  ['turning the clock', (broker) => broker.clock.advance('1s')],
])('%s fails where a handler gives back all it gets, and names its queue', async (_, wait) => {
  const { broker, channel } = await setup()
  await channel.assertQueue('idle')
  await channel.assertQueue('rounds')
  await channel.consume('rounds', (message) => channel.nack(message!, false, true))
  channel.sendToQueue('rounds', Buffer.from('again'))

  await expect(wait(broker)).rejects.toMatchObject({
    code: 'EMBEDDED_NEVER_SETTLES',
    message: expect.stringMatching(
      /within 300 ms.* by 127\.0\.0\.1:\d+ -> .*, which consumes from "rounds"\./,
    ),
  })
})
