import amqplib from 'amqplib'
import { expect, it, onTestFinished } from 'vitest'
import type { QueueTrafficList } from '../../../packages/cli/src/http-api/contract/contract.ts'
import { eventually } from '../../support/eventually.ts'
import { setUpApi } from './api-rig.ts'
import { listenIn } from './listen-in.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const { headers } = broker

it('shows what comes and goes in every queue, by one request to RabbitMQ for all of them', async () => {
  const { url: managementUrl, asked } = await listenIn(broker.managementUrl)
  const rig = await setUpApi({ ...broker, managementUrl })
  await rig.declareDlq('traffic.dlq')
  const connection = await amqplib.connect(broker.url)
  onTestFinished(() => connection.close())
  const channel = await connection.createChannel()
  // More than fit on a page of RabbitMQ's.
  for (let at = 0; at < 600; at += 1)
    await channel.assertQueue(`traffic.${at}`, { autoDelete: true, durable: false })
  await channel.consume('traffic.0', (message) => message && channel.ack(message))
  await channel.prefetch(2)
  await channel.consume('traffic.1', () => undefined)
  for (let at = 0; at < 5; at += 1) channel.sendToQueue('traffic.1', Buffer.from('held'))
  await rig.publish([{ key: 'traffic.dlq', body: 1 }])
  const publishing = setInterval(() => channel.sendToQueue('traffic.0', Buffer.from('passes')), 20)
  onTestFinished(() => clearInterval(publishing))
  const read = async () => {
    asked.length = 0
    const { items } = (await rig.app.inject({ url: '/api/v1/queues', headers })).json<QueueTrafficList>()
    return new Map(items.map((item) => [item.queue, item]))
  }

  await eventually(async () => {
    const queues = await read()

    expect(queues.size).toBeGreaterThanOrEqual(601)
    expect(asked.filter((path) => path.includes('message_stats'))).toHaveLength(1)
    expect(queues.get('traffic.dlq')).toMatchObject({ isDlq: true, ready: 1, consumers: 0 })
    expect(queues.get('traffic.1')).toMatchObject({ isDlq: false, ready: 3, unacknowledged: 2, consumers: 1 })
    const { inPerSecond, outPerSecond, acknowledgedPerSecond, consumers } = queues.get('traffic.0')!
    for (const rate of [inPerSecond, outPerSecond, acknowledgedPerSecond]) expect(rate).toBeGreaterThan(1)
    expect(consumers).toBe(1)
  })
})
