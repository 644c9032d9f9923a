import { networkInterfaces } from 'node:os'
import amqplib from 'amqplib'
import { expect, onTestFinished, test } from 'vitest'
import { startEmbeddedBroker } from './start-embedded-broker.ts'

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
)

// On a machine without IPv6 there is nothing to connect to, and the broker must start all the same.
test('clients come in by IPv6, too, where the machine has it', async () => {
  const broker = await startEmbeddedBroker()
  onTestFinished(broker.stop)
  if (!hasIpv6) return

  const connection = await amqplib.connect(`amqp://guest:guest@[::1]:${broker.port}`)
  const channel = await connection.createChannel()
  await channel.assertQueue('here')
  const login = Buffer.from('guest:guest').toString('base64')
  const answer = await fetch(`http://[::1]:${broker.managementPort}/api/queues/%2F/here`, {
    headers: { authorization: `Basic ${login}` },
  })

  expect(answer.status).toBe(200)
  await connection.close()
})

test('who came in by IPv6 is cut by a crash, and comes back after the restart', async () => {
  const broker = await startEmbeddedBroker()
  onTestFinished(broker.stop)
  if (!hasIpv6) return
  const url = `amqp://guest:guest@[::1]:${broker.port}`
  const connection = await amqplib.connect(url)
  connection.on('error', () => undefined)
  const ended = new Promise((resolve) => connection.once('close', resolve))

  await broker.faults.crash()
  await ended
  await expect(amqplib.connect(url)).rejects.toThrow()
  await broker.faults.restart()

  await (await amqplib.connect(url)).close()
})
