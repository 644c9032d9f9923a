import { expect, it, onTestFinished } from 'vitest'
import { openConnection } from '../../../packages/warrenmq/src/broker/amqp/connection.ts'
import type { ConnectionOptions } from '../../../packages/warrenmq/src/broker/amqp/connection-options.ts'
import { declareQueue, inspectQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import type { Delivery } from '../../../packages/warrenmq/src/broker/amqp/delivery.ts'
import { joinBody } from '../../../packages/warrenmq/src/broker/amqp/message.ts'
import { parseAmqpUrl } from '../../../packages/warrenmq/src/broker/amqp/parse-amqp-url.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { Publisher } from '../../../packages/warrenmq/src/publisher/publisher.ts'
import { toFieldTable } from '../../../packages/warrenmq/src/wire/plain-fields.ts'
import { eventually } from '../../support/eventually.ts'
import { useBroker } from '../../support/use-broker.ts'

const broker = await useBroker()
let tries = 0

async function setup(options: ConnectionOptions) {
  const session = await Session.open(broker.url)
  const connection = await openConnection(parseAmqpUrl(broker.url)[0]!, options)
  onTestFinished(async () => {
    await connection.close()
    await session.close()
  })
  tries += 1 // so that none finds what another has left
  const queue = `sizes ${tries}`
  await declareQueue(await session.openChannel(), { queue })
  return { queue, publisher: new Publisher(session), connection, channel: await connection.openChannel() }
}

it('a body beyond maxBodyBytes ends the connection, and the error names the option to raise', async () => {
  const { queue, publisher, connection, channel } = await setup({ maxBodyBytes: 1_000 })
  for (const size of [1_000, 1_001]) await publisher.publish({ key: queue, body: Buffer.alloc(size) })
  const closed = new Promise((resolve) => connection.events.on('closed', resolve))

  const first = await channel.get(queue, { noAck: true })
  const second = channel.get(queue, { noAck: true })

  expect(first?.bodyBytes).toBe(1_000)
  const message = expect.stringMatching(/A message of 1001 bytes .* the limit is 1000 .* Raise maxBodyBytes,/)
  const error = { code: 'CONNECTION_MESSAGE_TOO_LARGE', isFinal: false, message }
  await expect(second).rejects.toMatchObject(error)
  expect(await closed).toMatchObject({ error })
})

it('a consumer that takes oversized messages reads past their bodies, and can dead-letter them whole', async () => {
  const { queue, publisher, connection, channel } = await setup({ maxBodyBytes: 1_000 })
  const [dead, mixed] = [`dead ${queue}`, `mixed ${queue}`] as const
  await declareQueue(channel, { queue: dead })
  const deadLetters = { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': dead }
  await declareQueue(channel, { queue: mixed, arguments: toFieldTable(deadLetters) })
  for (const size of [1, 400_000, 2, 1_001, 3])
    await publisher.publish({ key: mixed, body: Buffer.alloc(size) })
  const read: Delivery[] = []
  const oversized: Delivery[] = []

  await channel.consume(mixed, (delivery) => read.push(delivery), {
    onOversized: (delivery) => oversized.push(delivery),
  })
  await eventually(() => expect(read).toHaveLength(3))
  for (const delivery of read) delivery.ack()
  for (const delivery of oversized) delivery.reject({ requeue: false })

  expect(read.map(({ bodyBytes }) => bodyBytes)).toEqual([1, 2, 3])
  expect(oversized.map(({ bodyBytes, body }) => [bodyBytes, body.length])).toEqual([
    [400_000, 0],
    [1_001, 0],
  ])
  await eventually(async () => expect((await inspectQueue(channel, dead)).messageCount).toBe(2))
  expect(connection.isOpen).toBe(true)
  const whole = await openConnection(parseAmqpUrl(broker.url)[0]!)
  onTestFinished(() => whole.close())
  const deadLetter = await (await whole.openChannel()).get(dead)
  expect(deadLetter && joinBody(deadLetter.body)).toHaveLength(400_000)
})

it('headers beyond maxHeaderBytes end the connection, and the error names the option to raise', async () => {
  const { queue, publisher, channel } = await setup({ maxHeaderBytes: 5_000 })
  for (const size of [4_000, 5_000])
    await publisher.publish({ key: queue, body: '', headers: { note: 'x'.repeat(size) } })

  const first = await channel.get(queue, { noAck: true })
  const second = channel.get(queue, { noAck: true })

  expect(first?.properties.length).toBeGreaterThan(4_000)
  const message = expect.stringMatching(/announces 5\d{3} bytes; the limit is 5000 .* Raise maxHeaderBytes,/)
  await expect(second).rejects.toMatchObject({ code: 'CONNECTION_MESSAGE_TOO_LARGE', message })
})

it('a vhost whose connections are at their limit is told so, and may be tried again', async () => {
  const limit = `/api/vhost-limits/${broker.vhost}/max-connections`
  await broker.management('PUT', limit, { value: 0 })
  onTestFinished(async () => void (await broker.management('DELETE', limit)))

  const opening = openConnection(parseAmqpUrl(broker.url)[0]!)

  await expect(opening).rejects.toMatchObject({
    code: 'CONNECTION_LIMIT_REACHED',
    isFinal: false,
    message: expect.stringMatching(/accepts no more connections: .*connection limit \(0\) is reached/),
  })
})
