import type { Channel, ConsumeMessage } from 'amqplib'
import { expect } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { testSameOnBoth } from './same-on-both.ts'

/** Too much at once: by a policy, by what comes back together or one by one, and by what a lost connection gives back. */
const causes = ['policy', 'nack-all', 'nack-each', 'lost-connection'] as const

async function drain(channel: Channel, queue: string): Promise<readonly string[]> {
  const bodies: string[] = []
  for (;;) {
    const message = await channel.get(queue, { noAck: true })
    if (!message) return bodies
    bodies.push(String(message.content))
  }
}

for (const type of ['quorum', 'classic']) {
  for (const limit of type === 'quorum' ? [undefined, 10] : [undefined]) {
    const title = limit === undefined ? type : `${type} with a delivery limit`
    testSameOnBoth(`a full queue drops several in the order of RabbitMQ: ${title}`, async (broker) => {
      const channel = await (await broker.connect()).createConfirmChannel()
      const seen: unknown[] = []
      for (const cause of causes) {
        const [queue, dead] = [`full-${cause}`, `dead-${cause}`]
        await channel.assertQueue(dead)
        await channel.assertQueue(queue, {
          arguments: {
            'x-queue-type': type,
            'x-dead-letter-exchange': '',
            'x-dead-letter-routing-key': dead,
            ...(cause === 'policy' ? {} : { 'x-max-length': 5 }),
            ...(limit === undefined ? {} : { 'x-delivery-limit': limit }),
          },
        })
        const send = async (bodies: readonly number[]) => {
          for (const body of bodies) channel.sendToQueue(queue, Buffer.from(String(body)))
          await channel.waitForConfirms()
        }
        if (cause === 'policy') {
          await send([0, 1, 2, 3, 4, 5, 6, 7, 8])
          await broker.api('PUT', `policies/${broker.vhost}/full`, {
            pattern: `^${queue}$`,
            definition: { 'max-length': 5 },
            priority: 0,
            'apply-to': 'queues',
          })
        } else {
          const other = await broker.connect()
          const consumer = await other.createChannel()
          await consumer.prefetch(5)
          const held: ConsumeMessage[] = []
          const { consumerTag } = await consumer.consume(queue, (message) => message && held.push(message))
          await send([0, 1, 2, 3, 4])
          await eventually(() => expect(held.length).toBe(5))
          await consumer.cancel(consumerTag)
          await send([5, 6, 7, 8])
          if (cause === 'nack-all') consumer.nackAll(true)
          else if (cause === 'nack-each') for (const message of held) consumer.nack(message)
          else await other.close()
        }
        await eventually(async () => expect((await channel.checkQueue(dead)).messageCount).toBe(4))
        seen.push([cause, await drain(channel, dead), await drain(channel, queue)])
      }
      return seen
    })
  }
}
