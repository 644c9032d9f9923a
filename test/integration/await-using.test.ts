import { createConnection } from 'node:net'
import { expect, it } from 'vitest'
import { connect, defineTopology } from '../../packages/warrenmq/src/index.ts'
import { startEmbeddedBroker } from '../../packages/warrenmq/src/testing.ts'

it('await using closes the consumer, the publisher, the connection and the broker', async () => {
  const closed: string[] = []
  const isRefused = (port: number) =>
    new Promise<boolean>((resolve) => {
      const socket = createConnection({ port, host: '127.0.0.1' })
      socket.on('connect', () => resolve(!socket.destroy()))
      socket.on('error', () => resolve(true))
    })
  const topology = defineTopology({ queues: { orders: {} } })

  const { port, publisher } = await (async () => {
    await using broker = await startEmbeddedBroker()
    await using warren = await connect(broker.url, { topology, managementUrl: broker.managementUrl })
    await warren.apply()
    await using publisher = warren.publisher({})
    await using consumer = await warren.consume('orders', () => undefined)
    consumer.events.on('consumer.closed', ({ queue }) => closed.push(`consumer of ${queue}`))
    await publisher.publish({ key: 'orders', body: 'x' })
    return { port: broker.port, publisher }
  })()

  expect(closed).toEqual(['consumer of orders'])
  expect(publisher.isClosed).toBe(true)
  expect(await isRefused(port)).toBe(true)
})
