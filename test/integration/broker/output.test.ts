import { setImmediate as nextTick } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import type { Delivery } from '../../../packages/warrenmq/src/broker/amqp/delivery.ts'
import { encodePublish } from '../../../packages/warrenmq/src/broker/amqp/encode-publish.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import type { PublishResult } from '../../../packages/warrenmq/src/publisher/publish-result.ts'
import { Publisher, type PublisherOptions } from '../../../packages/warrenmq/src/publisher/publisher.ts'
import { noProperties } from '../../../packages/warrenmq/src/wire/properties.ts'
import { eventually } from '../../support/eventually.ts'
import { countWrites, watchClientSockets } from './client-sockets.ts'
import { type Peer, type Script, startScriptedServer } from './scripted-server.ts'

const kibibyte = 1024
const mebibyte = 1024 * kibibyte

async function setup(script: Script = () => false) {
  const { url, peers } = await startScriptedServer(script)
  const sockets = watchClientSockets(url)
  const session = await Session.open(url, { backoff: { initialMs: 5, maxMs: 50 } })
  onTestFinished(() => session.close())
  return { session, peer: peers[0]!, socket: sockets()[0]!, output: session.connection!.output }
}

async function setupPublisher(script: Script, options: PublisherOptions) {
  const { session, ...rest } = await setup(script)
  const publisher = new Publisher(session, options)
  await publisher.room()
  return { session, publisher, ...rest }
}

const publishMethod = encodePublish({ exchange: '', routingKey: 'orders', mandatory: true })

const publishesOf = ({ received }: Peer): number =>
  received.filter(({ method }) => method.name === 'basic.publish').length

/** Confirms every publish at once. */
const confirmAll: Script = (peer, channel, method) => {
  if (method.name === 'basic.publish')
    peer.send(channel, { name: 'basic.ack', deliveryTag: publishesOf(peer), multiple: false })
  return false
}

it('all frames of one tick leave in one write, on whichever channel they were written', async () => {
  const { session, peer, socket } = await setup()
  const channels = await Promise.all([1, 2, 3].map(() => session.openChannel()))
  const before = peer.received.length
  const writes = countWrites(socket)

  for (let round = 0; round < 50; round += 1)
    for (const channel of channels) channel.publish(publishMethod, noProperties, Buffer.alloc(500))
  const asked = channels.map((channel) => channel.get('orders'))
  await Promise.resolve().then(() => channels[0]!.publish(publishMethod, noProperties, Buffer.alloc(1)))
  await eventually(() => expect(peer.received).toHaveLength(before + 154))

  expect(writes()).toBe(1)
  for (const { id } of channels) peer.send(id, { name: 'basic.get-empty' })
  expect(await Promise.all(asked)).toEqual([undefined, undefined, undefined])
})

it('acks wait for the end of the tick, and leave in the same write as what is published in it', async () => {
  const { session, peer, socket } = await setup((server, channel, { name }) => {
    if (name === 'basic.qos') server.send(channel, { name: 'basic.qos-ok' })
    if (name === 'basic.consume') server.send(channel, { name: 'basic.consume-ok', consumerTag: 'work' })
    return name === 'basic.qos' || name === 'basic.consume'
  })
  const channel = await session.openChannel()
  await channel.setPrefetch(40) // ten acks make a batch
  const deliveries: Delivery[] = []
  await channel.consume('orders', (delivery) => deliveries.push(delivery), { consumerTag: 'work' })
  for (let deliveryTag = 1; deliveryTag <= 10; deliveryTag += 1) {
    const method = {
      consumerTag: 'work',
      deliveryTag,
      redelivered: false,
      exchange: '',
      routingKey: 'orders',
    }
    peer.sendContent(channel.id, { name: 'basic.deliver', ...method }, Buffer.from('x'))
  }
  await eventually(() => expect(deliveries).toHaveLength(10))
  const writes = countWrites(socket)

  for (const delivery of deliveries) {
    channel.publish(publishMethod, noProperties, Buffer.from('y'))
    delivery.ack()
  }
  await eventually(() => expect(peer.received.at(-1)!.method.name).toBe('basic.ack'))

  expect(writes()).toBe(1)
  expect(peer.received.at(-1)!.method).toMatchObject({ deliveryTag: 10, multiple: true })
  expect(publishesOf(peer)).toBe(10)
})

it('ticks that follow each other make a write each: nothing waits for company that may never come', async () => {
  const { session, peer, socket } = await setup()
  const channel = await session.openChannel()
  const writes = countWrites(socket)

  for (let tick = 1; tick <= 5; tick += 1) {
    channel.publish(publishMethod, noProperties, Buffer.from('x'))
    await eventually(() => expect(publishesOf(peer)).toBe(tick), { intervalMs: 1 })
  }

  expect(writes()).toBe(5)
})

it('a publisher stops at a broker that does not read, holds what it has in bounds, and goes on when it does', async () => {
  const { publisher, peer, socket, output } = await setupPublisher(confirmAll, {
    window: { messages: 10_000, bytes: 1_024 * mebibyte },
  })
  const body = Buffer.alloc(64 * kibibyte)
  let mostUnsentBytes = 0
  const count = 1_024

  peer.socket.pause()
  const results: Promise<PublishResult>[] = []
  for (let index = 0; index < count; index += 1) {
    results.push(publisher.publish({ key: 'orders', body }))
    mostUnsentBytes = Math.max(mostUnsentBytes, socket.writableLength)
    if (index % 8 === 0) await nextTick()
  }
  const drained = output.drained().then(() => 'drained')
  expect(output.isCongested()).toBe(true)
  expect(await Promise.race([drained, nextTick('congested')])).toBe('congested')
  peer.socket.resume()

  expect(await drained).toBe('drained')
  expect(new Set((await Promise.all(results)).map(({ kind }) => kind))).toEqual(new Set(['confirmed']))
  expect(publishesOf(peer)).toBe(count)
  // One mebibyte makes it wait; what one tick adds on top is at most a flush and the message that crossed the line.
  expect(mostUnsentBytes).toBeGreaterThan(mebibyte)
  expect(mostUnsentBytes).toBeLessThan(2 * mebibyte)
})

it('who waits for a broker that does not read is let go when the connection is lost', async () => {
  const { session, peer, output } = await setup()
  const channel = await session.openChannel()
  peer.socket.pause()
  for (let sent = 0; sent < 64 && !output.isCongested(); sent += 1) {
    channel.publish(publishMethod, noProperties, Buffer.alloc(mebibyte))
    output.flush()
    await nextTick()
  }
  expect(output.isCongested()).toBe(true)
  const drained = output.drained()

  peer.socket.destroy()

  await drained
  expect(channel.isOpen).toBe(false)
})

it('the window counts bytes as well: it is closed by the message that crosses it, however large that one is', async () => {
  const { publisher, peer, session } = await setupPublisher((_, __, { name }) => name === 'basic.publish', {
    window: { bytes: 10_000 },
  })
  const results = [20_000, 4_000, 4_000, 4_000, 4_000].map((size) =>
    publisher.publish({ key: 'orders', body: Buffer.alloc(size) }),
  )
  const channel = peer.received.find(({ method }) => method.name === 'confirm.select')!.channel
  const confirm = (deliveryTag: number): void =>
    peer.send(channel, { name: 'basic.ack', deliveryTag, multiple: true })
  const roundTrip = async (): Promise<void> => void (await session.openChannel())

  await roundTrip()
  expect(publishesOf(peer)).toBe(1)
  confirm(1)
  await eventually(() => expect(publishesOf(peer)).toBe(4))
  await roundTrip()
  expect(publishesOf(peer)).toBe(4) // the third of them crossed the line
  confirm(4)
  await eventually(() => expect(publishesOf(peer)).toBe(5))
  confirm(5)

  expect((await Promise.all(results)).map(({ kind }) => kind)).toEqual(Array(5).fill('confirmed'))
})

it('what waits is counted in bytes as well, and what would be too much is told so at once', async () => {
  const { publisher, peer } = await setupPublisher((_, __, { name }) => name === 'basic.publish', {
    window: { messages: 1 },
    waiting: { bytes: 10_000 },
    deadlineMs: 300,
  })

  const results = await Promise.all(
    [4_000, 4_000, 4_000, 4_000].map((size) =>
      publisher.publish({ key: 'orders', body: Buffer.alloc(size) }),
    ),
  )

  expect(publishesOf(peer)).toBe(1)
  expect(results).toMatchObject([
    { kind: 'unknown', wasSent: true, cause: { code: 'PUBLISH_DEADLINE' } },
    { kind: 'unknown', wasSent: false, cause: { code: 'PUBLISH_DEADLINE' } },
    { kind: 'unknown', wasSent: false, cause: { code: 'PUBLISH_DEADLINE' } },
    { kind: 'unknown', wasSent: false, cause: { code: 'PUBLISH_QUEUE_FULL' } },
  ])
})

it('a publish settles by its deadline although the broker never opens a channel for it', async () => {
  const { session } = await setup((_, __, { name }) => name === 'channel.open')
  const publisher = new Publisher(session, { deadlineMs: 50 })

  const result = await publisher.publish({ key: 'orders', body: 'a' })

  expect(result).toMatchObject({ kind: 'unknown', wasSent: false, cause: { code: 'PUBLISH_DEADLINE' } })
  expect(publisher.pendingCount).toBe(0)
})
