import amqp from 'amqplib'
import { expect, test } from 'vitest'
import { createVhost, useBroker } from '../../support/use-broker.ts'

const broker = await useBroker()

test('the broker of the run is of the version that was asked for', async () => {
  const wanted = process.env.WARREN_BROKER_VERSION

  const connection = await amqp.connect(broker.url)
  const { version } = connection.connection.serverProperties
  await connection.close()

  expect(version).toBe(broker.version)
  if (wanted && wanted !== 'latest') expect(`${version}.`.startsWith(`${wanted}.`)).toBe(true)
})

test('a vhost is empty, apart from others, and gone once it is dropped', async () => {
  const other = await createVhost()
  const connection = await amqp.connect(broker.url)
  const channel = await connection.createChannel()
  await channel.assertQueue('only-here', { durable: true })
  await connection.close()

  const queuesHere = await broker.management<{ name: string }[]>('GET', `/api/queues/${broker.vhost}`)
  const queuesThere = await broker.management<unknown[]>('GET', `/api/queues/${other.vhost}`)
  await other.drop()

  expect(queuesHere.map(({ name }) => name)).toEqual(['only-here'])
  expect(queuesThere).toEqual([])
  await expect(amqp.connect(other.url)).rejects.toThrow()
})
