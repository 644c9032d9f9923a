import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'amqplib'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { defineTopology, retrying, type TopologyDeclaration } from '../../../packages/warrenmq/src/index.ts'
import { eventually } from '../../support/eventually.ts'
import { runCliHere } from '../../support/run-cli-here.ts'
import { createVhost, useBroker } from '../../support/use-broker.ts'

await useBroker()

/** A service as the guide finds it: a queue and a binding by amqplib, a callback that rejects what fails. */
async function setUp() {
  const broker = await createVhost()
  onTestFinished(() => broker.drop())
  const folder = mkdtempSync(join(tmpdir(), 'warren-amqplib-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const connection = await connect(broker.url)
  onTestFinished(() => connection.close())
  const channel = await connection.createChannel()
  const retryingChannel = await connection.createConfirmChannel()
  await channel.assertExchange('shop.events', 'topic')
  await channel.assertQueue('shop.orders')
  await channel.bindQueue('shop.orders', 'shop.events', 'order.*')
  const config = join(folder, 'warren.config.yaml')
  const management = new URL(broker.managementUrl)
  management.username = broker.username
  management.password = broker.password
  const warren = (...args: readonly string[]) =>
    runCliHere([...args, '--url', broker.url, '--management-url', management.href, '--config', config])
  const configure = (text: string) => writeFileSync(config, text)
  return { broker, channel, retryingChannel, warren, configure }
}

const withDlq = `
exchanges: { shop.events: { type: topic } }
queues:
  shop.orders:
    type: classic
    bind: [{ exchange: shop.events, key: order.* }]
    retry: false
`
const withRetries = withDlq.replace('retry: false', 'retry: { delays: [50ms], maxAttempts: 3 }')

test('a service on amqplib gets a dead-letter queue by a policy, then wait queues, and keeps its queue', async () => {
  const { broker, channel, retryingChannel, warren, configure } = await setUp()
  const policy = `/api/policies/${broker.vhost}/shop-orders-dlq`

  // 1. A dead-letter queue, by a policy.
  configure(withDlq)
  const first = await warren('apply', '--yes')
  expect(first).toMatchObject({ exitCode: 3 })
  expect(first.said).toContain(
    'set it by a policy, without touching the queue: {"dead-letter-exchange":"shop.orders.dlq"}',
  )
  await broker.management('PUT', policy, {
    pattern: '^shop\\.orders$',
    'apply-to': 'queues',
    definition: { 'dead-letter-exchange': 'shop.orders.dlq' },
  })
  expect(await warren('plan', '--detailed-exitcode')).toMatchObject({ exitCode: 0 })
  const old = await channel.consume('shop.orders', (message) => channel.nack(message!, false, false))
  channel.publish('shop.events', 'order.placed', Buffer.from('{"id":1}'), { messageId: 'rejected' })
  const depth = async (queue: string) => (await channel.checkQueue(queue)).messageCount
  await eventually(async () => expect(await depth('shop.orders.dlq')).toBe(1))

  // 2. Retries, beside the old consumer.
  configure(withRetries)
  expect(await warren('apply', '--yes')).toMatchObject({ exitCode: 0 })
  await channel.cancel(old.consumerTag)
  const { queues } = parse(withRetries) as TopologyDeclaration<string>
  const topology = defineTopology({ exchanges: { 'shop.events': { type: 'topic' } }, queues })
  const seen: unknown[] = []
  const onMessage = retrying(
    retryingChannel,
    { topology, queue: 'shop.orders' },
    ({ fields }, { attempt, message }) => {
      seen.push([attempt, fields.routingKey, message.body])
      if (attempt < 2) throw new Error('not now')
    },
  )
  await retryingChannel.consume('shop.orders', onMessage)
  channel.publish('shop.events', 'order.placed', Buffer.from('{"id":2}'), { messageId: 'retried' })
  await eventually(() => expect(seen).toHaveLength(2))
  expect(seen).toEqual([1, 2].map((attempt) => [attempt, 'order.placed', { id: 2 }]))

  // 3. Dead letters go back, and the old callback finds the key of the first publish in a header.
  const redriven = await warren('dlq', 'redrive', 'shop.orders.dlq', '--reason', 'fixed', '--yes')
  expect(redriven).toMatchObject({ exitCode: 0 })
  await eventually(() => expect(seen).toHaveLength(4))
  expect(seen.slice(2)).toEqual([1, 2].map((attempt) => [attempt, 'order.placed', { id: 1 }]))
  await onMessage.idle()

  // And back: without the policy everything is as it was.
  await broker.management('DELETE', policy)
  expect(await broker.management('GET', `/api/queues/${broker.vhost}/shop.orders`)).toMatchObject({
    arguments: {},
  })
  expect([await depth('shop.orders'), await depth('shop.orders.dlq')]).toEqual([0, 0])
})
