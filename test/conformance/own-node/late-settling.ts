import amqplib, { type Channel, type ConsumeMessage, type GetMessage } from 'amqplib'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { connectRaw, type Received } from '../raw-client.ts'
import type { OwnBroker } from './on-own-nodes.ts'

/** What becomes of messages that a client neither acknowledges nor returns. */
export function testLateSettling(open: () => Promise<OwnBroker>): void {
  async function setup(type: 'classic' | 'quorum') {
    const broker = await open()
    const connection = await amqplib.connect(broker.url)
    onTestFinished(() => connection.close())
    const channel = await connection.createChannel()
    const errors: string[] = []
    channel.on('error', ({ message }: Error) => errors.push(message))
    const publisher = await connection.createConfirmChannel()
    await publisher.assertQueue('work', { arguments: { 'x-queue-type': type } })
    for (const body of ['one', 'two']) publisher.sendToQueue('work', Buffer.from(body))
    await publisher.waitForConfirms()
    const awaitReady = (count: number) =>
      eventually(async () => expect((await publisher.checkQueue('work')).messageCount).toBe(count))
    return { broker, connection, channel, publisher, errors, awaitReady }
  }

  async function consumeBoth(channel: Channel): Promise<readonly (ConsumeMessage | null)[]> {
    const seen: (ConsumeMessage | null)[] = []
    await channel.consume('work', (message) => seen.push(message))
    await eventually(() => expect(seen).toHaveLength(2))
    return seen
  }

  const refusal = (timeoutMs: number) =>
    'Channel closed by server: 406 (PRECONDITION-FAILED) with message "PRECONDITION_FAILED - delivery acknowledgement ' +
    `on channel 1 timed out. Timeout value used: ${timeoutMs} ms. ` +
    'This timeout value can be configured, see consumers doc guide to learn more"'

  test('a consumer that settles too late loses its channel, from 4.3 on its subscription', async () => {
    const { broker, channel, publisher, errors, awaitReady } = await setup('quorum')
    const seen = await consumeBoth(channel)

    await broker.passTime()
    await awaitReady(2)

    const again = await publisher.get('work', { noAck: true })
    expect(again).toMatchObject({ content: Buffer.from('one'), fields: { redelivered: true } })
    const isCancelled = broker.profile === '4.3'
    // The queue may have its messages again before the consumer is told.
    await eventually(() => {
      expect(errors).toEqual(isCancelled ? [] : [refusal(broker.consumerTimeoutMs)])
      expect(seen.slice(2)).toEqual(isCancelled ? [null] : [])
    })
    // From 4.3 on it is no failure of the delivery; before, whatever ends a channel is.
    expect((again as GetMessage).properties.headers).toEqual(
      isCancelled ? { 'x-acquired-count': 1 } : { 'x-delivery-count': 1 },
    )
  })

  test('a message that was fetched and is settled too late costs the channel', async () => {
    const { broker, channel, errors, awaitReady } = await setup('quorum')
    await channel.get('work')

    await broker.passTime()

    await awaitReady(2)
    const expected = refusal(broker.profile === '4.3' ? -1 : broker.consumerTimeoutMs)
    await eventually(() => expect(errors).toEqual([expected]))
  })

  test('a classic queue lets its consumers take their time from 4.3 on', async () => {
    const { broker, connection, channel, publisher, errors, awaitReady } = await setup('classic')
    const [first] = await consumeBoth(channel)
    // The measure of time: a queue that does not wait.
    await publisher.assertQueue('measure', { arguments: { 'x-queue-type': 'quorum' } })
    publisher.sendToQueue('measure', Buffer.from('x'))
    await publisher.waitForConfirms()
    const measuring = await connection.createChannel()
    const isOver = new Promise((resolve) => measuring.once('error', resolve))
    await measuring.get('measure')

    await broker.passTime()
    await isOver

    if (broker.profile !== '4.3') {
      await awaitReady(2)
      await eventually(() => expect(errors).toEqual([refusal(broker.consumerTimeoutMs)]))
      return
    }
    channel.ack(first!)
    await channel.close()
    await awaitReady(1)
    expect(errors).toEqual([])
  })

  test('from 4.3 on a consumer that settles at last goes on, though it was told of its end', async ({
    skip,
  }) => {
    const { broker, awaitReady } = await setup('quorum')
    if (broker.profile !== '4.3') skip('Its channel is closed.')
    const received: Received[] = []
    const client = await connectRaw(broker.url, (each) => received.push(each))
    onTestFinished(() => client.close())
    const opened = client.expect(1, ['channel.open-ok'])
    client.send(1, { name: 'channel.open' })
    await opened
    const limited = client.expect(1, ['basic.qos-ok'])
    client.send(1, { name: 'basic.qos', prefetchSize: 0, prefetchCount: 1, global: false })
    await limited
    received.length = 0
    const cancelled = client.expect(1, ['basic.cancel'])
    client.send(1, {
      name: 'basic.consume',
      queue: 'work',
      consumerTag: 'slow',
      arguments: [],
      noLocal: false,
      noAck: false,
      exclusive: false,
      noWait: false,
    })
    await eventually(() => expect(received.map(({ method }) => method.name)).toContain('basic.deliver'))

    await broker.passTime()
    await cancelled
    await awaitReady(2)
    const delivered = client.expect(1, ['basic.deliver', 'channel.close'])
    client.send(1, { name: 'basic.ack', deliveryTag: 1, multiple: false })
    await delivered

    expect(received.map(({ method, body }) => [method.name, body?.toString()])).toEqual([
      ['basic.consume-ok', undefined],
      ['basic.deliver', 'one'],
      ['basic.cancel', undefined],
      ['basic.deliver', 'one'],
    ])
  })
}
