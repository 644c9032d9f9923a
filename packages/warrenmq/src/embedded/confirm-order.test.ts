import amqplib from 'amqplib'
import { expect, onTestFinished, test } from 'vitest'
import { type EmbeddedBrokerOptions, startEmbeddedBroker } from './start-embedded-broker.ts'

/** Publishes to two queues in turn, and gives the numbers of the publishes as they are confirmed. */
async function confirmsOf(options: EmbeddedBrokerOptions): Promise<readonly number[]> {
  const broker = await startEmbeddedBroker(options)
  onTestFinished(broker.stop)
  const connection = await amqplib.connect(broker.url)
  const channel = await connection.createConfirmChannel()
  for (const queue of ['classic', 'quorum']) {
    await channel.assertQueue(queue, { arguments: { 'x-queue-type': queue } })
  }
  const confirmed: number[] = []
  for (let number = 0; number < 40; number += 1) {
    channel.sendToQueue(number % 2 ? 'quorum' : 'classic', Buffer.from('x'), {}, () => confirmed.push(number))
  }
  await channel.waitForConfirms()
  await connection.close()
  return confirmed
}

const published = Array.from({ length: 40 }, (_, number) => number)

test('confirms of two queues come out of order, those of one queue in theirs', async () => {
  const confirmed = await confirmsOf({})

  expect(confirmed).not.toEqual(published)
  expect(confirmed.toSorted((a, b) => a - b)).toEqual(published)
  for (const rest of [0, 1]) {
    const isOfQueue = (number: number) => number % 2 === rest
    expect(confirmed.filter(isOfQueue)).toEqual(published.filter(isOfQueue))
  }
})

test('confirms come in the order of the publishes where that is asked for', async () => {
  expect(await confirmsOf({ confirms: 'in-order' })).toEqual(published)
})
