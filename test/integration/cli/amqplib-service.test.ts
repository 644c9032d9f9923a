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

/** The service after both steps: a policy names the dead-letter exchange, and the wait queues are there. */
async function setUpRetries(delay: string) {
  const service = await setUp()
  const { broker, warren, configure } = service
  const text = withDlq.replace('retry: false', `retry: { delays: [${delay}], maxAttempts: 3 }`)
  configure(text)
  await warren('apply', '--yes')
  const policy = `/api/policies/${broker.vhost}/shop-orders-dlq`
  await broker.management('PUT', policy, {
    pattern: '^shop\\.orders$',
    'apply-to': 'queues',
    definition: { 'dead-letter-exchange': 'shop.orders.dlq' },
  })
  await eventually(async () =>
    expect(await warren('plan', '--detailed-exitcode')).toMatchObject({ exitCode: 0 }),
  )
  const { queues } = parse(text) as TopologyDeclaration<string>
  const topology = defineTopology({ exchanges: { 'shop.events': { type: 'topic' } }, queues })
  return { ...service, topology, policy }
}

test('the callback that is put back gets what waits, and finds the first exchange and key in headers', async () => {
  const { channel, retryingChannel, topology } = await setUpRetries('500ms')
  const attempts: number[] = []
  const onMessage = retrying(retryingChannel, { topology, queue: 'shop.orders' }, (_, { attempt }) => {
    attempts.push(attempt)
    throw new Error('not now')
  })
  const wrapped = await retryingChannel.consume('shop.orders', onMessage)
  channel.publish('shop.events', 'order.placed', Buffer.from('{"id":1}'), { messageId: 'waits' })
  await eventually(() => expect(attempts).toEqual([1]))
  await retryingChannel.cancel(wrapped.consumerTag)
  await onMessage.idle()

  const seen: unknown[] = []
  await channel.consume('shop.orders', (message) => {
    if (!message) return
    const { exchange, routingKey } = message.fields
    const { messageId, headers } = message.properties
    seen.push({ exchange, routingKey, messageId, headers })
    channel.ack(message)
  })

  await eventually(() => expect(seen).toHaveLength(1))
  expect(seen).toEqual([
    {
      exchange: '',
      routingKey: 'shop.orders',
      messageId: 'waits',
      headers: expect.objectContaining({
        'x-original-exchange': 'shop.events',
        'x-original-routing-key': 'order.placed',
        'warren-attempts': 1,
      }),
    },
  ])
})

test('what an old callback requeues costs no attempt, and what it rejects has its first key with --to exchange', async () => {
  const { channel, retryingChannel, topology, warren } = await setUpRetries('50ms')
  const ids: string[] = []
  const old = await channel.consume('shop.orders', (message) => {
    if (!message) return
    const { messageId } = message.properties
    ids.push(messageId)
    if (messageId === 'rejected') channel.nack(message, false, false)
    else if (ids.filter((id) => id === 'requeued').length < 3) channel.nack(message)
  })
  channel.publish('shop.events', 'order.placed', Buffer.from('{}'), { messageId: 'rejected' })
  channel.publish('shop.events', 'order.paid', Buffer.from('{}'), { messageId: 'requeued' })
  await eventually(async () => {
    expect(ids.filter((id) => id === 'requeued')).toHaveLength(3)
    expect(await channel.checkQueue('shop.orders.dlq')).toMatchObject({ messageCount: 1 })
  })
  await channel.cancel(old.consumerTag)
  await channel.close() // it gives back what it holds

  const seen: unknown[] = []
  const onMessage = retrying(
    retryingChannel,
    { topology, queue: 'shop.orders' },
    ({ fields, properties }, { attempt }) => {
      seen.push([properties.messageId, fields.routingKey, attempt])
    },
  )
  await retryingChannel.consume('shop.orders', onMessage)
  await eventually(() => expect(seen).toEqual([['requeued', 'order.paid', 1]]))
  const plan = await warren('dlq', 'redrive', 'shop.orders.dlq', '--dry-run')
  expect(plan.said + plan.printed).toContain(
    '1 of these will have a different routing key there; it was "order.placed". The header x-original-routing-key keeps it.',
  )
  const redriven = await warren('dlq', 'redrive', 'shop.orders.dlq', '--to', 'exchange', '--yes')
  expect(redriven).toMatchObject({ exitCode: 0 })
  await eventually(() => expect(seen.slice(1)).toEqual([['rejected', 'order.placed', 1]]))
  await onMessage.idle()
})
