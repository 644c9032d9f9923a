import { AMQPClient } from '@cloudamqp/amqp-client'
import amqplib from 'amqplib'
import { Connection } from 'rabbitmq-client'
// @ts-expect-error rascal ships no types
import rascal from 'rascal'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import type { OwnBroker } from './on-own-nodes.ts'

/** A client that has published once, and all that its broker tells it from then on. */
interface BlockedClient {
  readonly told: string[]
  /** Settles with the confirm. */
  publish(queue: string): Promise<unknown>
}

/** How each client learns that the broker takes no more publishes, and what it makes of it. */
export function testBlockedClients(open: () => Promise<OwnBroker>): void {
  test('clients that publish are told that the broker is short of memory, and publish when it is not', async () => {
    const broker = await open()
    const observer = await amqplib.connect(broker.url)
    onTestFinished(() => observer.close())
    const channel = await observer.createChannel()
    const makers = {
      amqplib: useAmqplib,
      rabbitmqClient: useRabbitmqClient,
      rascal: useRascal,
      cloudamqp: useCloudamqp,
    }
    const clients: [queue: string, client: BlockedClient][] = []
    for (const [queue, make] of Object.entries(makers)) {
      await channel.assertQueue(queue)
      const client = await make(broker.url, broker.vhost)
      await client.publish(queue)
      clients.push([queue, client])
    }
    const depths = () =>
      Promise.all(clients.map(async ([queue]) => (await channel.checkQueue(queue)).messageCount))
    const allTold = (expected: readonly string[]) =>
      eventually(() => expect(clients.map(([, { told }]) => told)).toEqual(clients.map(() => expected)))

    onTestFinished(() => broker.unblock())
    await broker.block()
    const waiting = clients.map(([queue, client]) => client.publish(queue))
    for (const each of waiting) each.catch(() => {}) // where the test ends before it waits for them
    await allTold(['blocked: low on memory'])
    // This one refuses to publish as long as it knows; the others let their publishes wait.
    const [, cloudamqp] = clients.find(([queue]) => queue === 'cloudamqp')!
    await expect(cloudamqp.publish('cloudamqp')).rejects.toThrow('Connection blocked by server')
    const during = await depths()
    await broker.unblock()
    await Promise.all(waiting)
    await allTold(['blocked: low on memory', 'unblocked'])

    expect(during).toEqual([1, 1, 1, 1])
    expect(await depths()).toEqual([2, 2, 2, 2])
  })
}

async function useAmqplib(url: string): Promise<BlockedClient> {
  const told: string[] = []
  const connection = await amqplib.connect(url)
  onTestFinished(() => connection.close())
  connection.on('blocked', (reason: string) => told.push(`blocked: ${reason}`))
  connection.on('unblocked', () => told.push('unblocked'))
  const channel = await connection.createConfirmChannel()
  return {
    told,
    publish: async (queue) => {
      channel.sendToQueue(queue, Buffer.from('x'))
      await channel.waitForConfirms()
    },
  }
}

async function useRabbitmqClient(url: string): Promise<BlockedClient> {
  const told: string[] = []
  const connection = new Connection(url)
  onTestFinished(() => connection.close())
  connection.on('connection.blocked', (reason) => told.push(`blocked: ${reason}`))
  connection.on('connection.unblocked', () => told.push('unblocked'))
  const publisher = connection.createPublisher({ confirm: true })
  onTestFinished(() => publisher.close())
  return { told, publish: (queue) => publisher.send(queue, 'x') }
}

async function useCloudamqp(url: string): Promise<BlockedClient> {
  const told: string[] = []
  const client = new AMQPClient(url)
  client.onblocked = (reason) => told.push(`blocked: ${reason}`)
  client.onunblocked = () => told.push('unblocked')
  await client.connect()
  onTestFinished(() => client.close())
  const channel = await client.channel()
  await channel.confirmSelect()
  return { told, publish: (queue) => channel.basicPublish('', queue, 'x') }
}

async function useRascal(url: string, vhost: string): Promise<BlockedClient> {
  const told: string[] = []
  const config = rascal.withDefaultConfig({
    vhosts: {
      [vhost]: {
        connection: { url },
        namespace: false,
        queues: { rascal: { assert: false, check: true } },
        publications: { p: { queue: 'rascal', timeout: 120_000 } },
      },
    },
  })
  const service = await rascal.BrokerAsPromised.create(config)
  onTestFinished(() => service.shutdown())
  service.on('error', () => undefined)
  service.on('blocked', (reason: string) => told.push(`blocked: ${reason}`))
  service.on('unblocked', () => told.push('unblocked'))
  return {
    told,
    publish: async () => {
      const publication = await service.publish('p', 'x')
      await new Promise((resolve, reject) => publication.on('success', resolve).on('error', reject))
    },
  }
}
