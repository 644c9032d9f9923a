import { setImmediate as nextTick } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openConnection } from '../../../packages/warrenmq/src/broker/amqp/connection.ts'
import type { ConnectionOptions } from '../../../packages/warrenmq/src/broker/amqp/connection-options.ts'
import { encodePublish } from '../../../packages/warrenmq/src/broker/amqp/encode-publish.ts'
import { parseAmqpUrl } from '../../../packages/warrenmq/src/broker/amqp/parse-amqp-url.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { Publisher } from '../../../packages/warrenmq/src/publisher/publisher.ts'
import type { Method } from '../../../packages/warrenmq/src/wire/method-specs.ts'
import { noProperties } from '../../../packages/warrenmq/src/wire/properties.ts'
import { eventually } from '../../support/eventually.ts'
import { deliver, type Peer, type Script, startScriptedServer } from './scripted-server.ts'

async function setup(script: Script, options: ConnectionOptions = {}) {
  const { url, peers } = await startScriptedServer(script)
  const connection = await openConnection(parseAmqpUrl(url)[0]!, options)
  const methodNames = () => peers[0]!.received.map(({ method }) => method.name)
  return { connection, url, peer: peers[0]!, methodNames }
}

const forced: Method<'connection.close'> = {
  name: 'connection.close',
  replyCode: 320,
  replyText: 'CONNECTION_FORCED',
  classId: 0,
  methodId: 0,
}

it('a connection that is closed in the same breath as it is opened knows it', async () => {
  const { url, peers } = await startScriptedServer((peer, channel, method) => {
    if (method.name !== 'connection.open') return false
    peer.send(channel, { name: 'connection.open-ok' }, forced)
    return true
  })

  const opening = openConnection(parseAmqpUrl(url)[0]!)

  await expect(opening).rejects.toMatchObject({ code: 'CONNECTION_CLOSED_BY_BROKER', replyCode: 320 })
  await eventually(() => expect(peers[0]!.received.at(-1)!.method.name).toBe('connection.close-ok'))
})

it('a connection that is told something nobody asked for does not take it for the answer to a new secret', async () => {
  const { connection } = await setup((peer, channel, method) => {
    if (method.name === 'connection.open') {
      peer.send(channel, { name: 'connection.open-ok' }, { name: 'connection.open-ok' })
      return true
    }
    if (method.name !== 'connection.update-secret') return false
    peer.send(0, { ...forced, replyCode: 530, replyText: 'NOT_ALLOWED - bad token' })
    return true
  })

  await expect(connection.updateSecret('new', 'expired')).rejects.toMatchObject({
    code: 'CONNECTION_CLOSED_BY_BROKER',
    message: expect.stringContaining('NOT_ALLOWED - bad token (530)'),
  })
})

it('a connection in use that is closed with the code of a refused one says what the broker said', async () => {
  const { connection, peer } = await setup(() => false)
  const closed = new Promise((resolve) => connection.events.on('closed', resolve))
  const replyText = 'NOT_ALLOWED - number of channels opened (8) has reached the negotiated channel_max (8)'

  peer.send(0, { ...forced, replyCode: 530, replyText })

  const message = `The broker at amqp://127.0.0.1:${connection.endpoint.port}/ closed the connection: ${replyText} (530).`
  const error = { code: 'CONNECTION_CLOSED_BY_BROKER', replyCode: 530, isFinal: false, message }
  expect(await closed).toMatchObject({ error })
})

it('a session waits for room where the connections of the broker are at their limit', async () => {
  const replyText = "NOT_ALLOWED - connection refused for user 'guest': user connection limit (1) is reached"
  const { url, peers } = await startScriptedServer((peer, channel, { name }) => {
    if (name !== 'connection.open' || peers.length > 2) return false
    peer.send(channel, { ...forced, replyCode: 530, replyText })
    return true
  })

  const session = await Session.open(url, { backoff: { initialMs: 5, maxMs: 50 }, waitForBrokerMs: 60_000 })

  expect(peers).toHaveLength(3)
  await session.close()
})

it('a new secret that the broker never answers is told so in the end', async () => {
  const { connection } = await setup(() => false, { replyTimeoutMs: 500 })

  await expect(connection.updateSecret('new', 'expired')).rejects.toMatchObject({
    code: 'CONNECTION_TIMEOUT',
  })
  await connection.close()
})

it('a channel whose opening is answered too late is closed again', async () => {
  const { connection, peer, methodNames } = await setup(
    (_, __, method) => method.name === 'channel.open', // silence
    { replyTimeoutMs: 500 },
  )

  await expect(connection.openChannel()).rejects.toMatchObject({ code: 'CHANNEL_TIMEOUT' })
  peer.send(1, { name: 'channel.open-ok' })

  await eventually(() => expect(methodNames()).toContain('channel.close'))
  await connection.close()
})

it('a message that answers a get too late goes back to its queue', async () => {
  const { connection, peer, methodNames } = await setup(
    (_, __, method) => method.name === 'basic.get', // silence
    { replyTimeoutMs: 500 },
  )
  const channel = await connection.openChannel()

  await expect(channel.get('orders')).rejects.toMatchObject({ code: 'CHANNEL_TIMEOUT' })
  const getOk = { deliveryTag: 1, redelivered: false, exchange: '', routingKey: 'orders', messageCount: 0 }
  peer.sendContent(1, { name: 'basic.get-ok', ...getOk }, Buffer.from('a'))

  await eventually(() => expect(methodNames()).toContain('basic.nack'))
  expect(channel.openDeliveries).toBe(0)
  await connection.close()
})

it('a session closes although the broker answers nothing any more, and lets nobody wait', async () => {
  const { url, peers } = await startScriptedServer((_, __, method) => method.name.endsWith('.close'))
  const session = await Session.open(url, { replyTimeoutMs: 500 })
  const supervised = session.superviseChannel('supervised', async () => {})
  await supervised.whenOpen()
  const publisher = new Publisher(session, { resend: true })
  await publisher.room()
  const unanswered = publisher.publish({ key: 'orders', body: '' })

  await session.close()

  expect(peers[0]!.received.map(({ method }) => method.name)).toContain('connection.close')
  await expect(supervised.whenOpen()).rejects.toMatchObject({ code: 'CHANNEL_CLOSED' })
  expect(await unanswered).toMatchObject({ kind: 'unknown', wasSent: true })
  expect(publisher.pendingCount).toBe(0)
})

it('bytes that wait for a slow broker are not overwritten by those behind them', async () => {
  const { connection, peer } = await setup(() => false)
  const channel = await connection.openChannel()
  const method = encodePublish({ exchange: '', routingKey: 'orders', mandatory: false })
  const bodyOf = (index: number) => Buffer.alloc(index % 50 === 0 ? 40_000 : 1_000, `message ${index}; `)
  const indexes = Array.from({ length: 10_000 }, (_, index) => index)

  peer.socket.pause()
  for (const index of indexes) {
    channel.publish(method, noProperties, bodyOf(index))
    if (index % 100 === 0) await nextTick() // many writes, so that slabs are given back and taken again
    if (index % 2_500 === 0) {
      peer.socket.resume()
      await connection.output.drained()
      peer.socket.pause()
    }
  }
  peer.socket.resume()

  const expected = Buffer.concat(indexes.map(bodyOf))
  const byteCount = () => peer.bodies.reduce((sum, { length }) => sum + length, 0)
  await eventually(() => expect(byteCount()).toBe(expected.length))
  expect(Buffer.concat(peer.bodies).equals(expected)).toBe(true)
  await connection.close()
})

it('answers that name no publish of ours settle none, and the right ones still do', async () => {
  const { url, peers } = await startScriptedServer((peer, channel, method) => {
    if (method.name !== 'basic.publish') return false
    const published = peer.received.filter((each) => each.method.name === 'basic.publish').length
    if (published < 3) return true
    const acks = [99, 0, 2, 2].map((deliveryTag) => ({
      name: 'basic.ack' as const,
      deliveryTag,
      multiple: deliveryTag === 99,
    }))
    peer.send(channel, ...acks, { name: 'basic.nack', deliveryTag: 3, multiple: true, requeue: false })
    return true
  })
  const session = await Session.open(url)
  const publisher = new Publisher(session)
  await publisher.room()

  const results = await Promise.all(['a', 'b', 'c'].map((key) => publisher.publish({ key, body: '' })))

  expect(results.map(({ kind }) => kind)).toEqual(['nacked', 'confirmed', 'nacked'])
  expect(peers).toHaveLength(1)
  await publisher.close()
  await session.close()
})

it.each<[string, (peer: Peer) => void]>([
  [
    'a header that nothing announced',
    (peer) =>
      peer.sendContent(1, { name: 'basic.cancel', consumerTag: 'nobody', noWait: true }, Buffer.from('a')),
  ],
  ['a message within a message', (peer) => peer.send(1, deliver, deliver)],
  ['bytes that are no frame', (peer) => peer.socket.write(Buffer.alloc(64, 0xff))],
])('%s ends the connection, and everybody who waits is told', async (_, misbehave) => {
  const { connection, peer } = await setup(() => false)
  const channel = await connection.openChannel()
  const closed = new Promise((resolve) => connection.events.on('closed', resolve))
  const waiting = channel.get('orders')

  misbehave(peer)

  await expect(waiting).rejects.toMatchObject({ code: 'CONNECTION_NOT_AMQP' })
  expect(await closed).toMatchObject({ error: { code: 'CONNECTION_NOT_AMQP' } })
  await expect(connection.openChannel()).rejects.toMatchObject({
    code: 'CONNECTION_CLOSED',
    cause: { code: 'CONNECTION_NOT_AMQP' },
  })
  await connection.close()
})

it('frames for a channel that is not open, and the end of a consumer that is not there, change nothing', async () => {
  const { connection, peer } = await setup(() => false)
  const channel = await connection.openChannel()
  const cancelled = new Promise((resolve) => channel.events.on('cancelled', resolve))

  peer.sendContent(7, deliver, Buffer.from('a'))
  peer.send(7, { name: 'channel.close', replyCode: 404, replyText: 'NOT_FOUND', classId: 0, methodId: 0 })
  peer.send(1, { name: 'basic.cancel', consumerTag: 'nobody', noWait: true })

  expect(await cancelled).toEqual({ consumerTag: 'nobody' })
  expect([connection.isOpen, channel.isOpen]).toEqual([true, true])
  await connection.close()
})

it('a session opens its channels one by one, so that a broker that just came back is not overrun', async () => {
  const asked: number[] = []
  const { url, peers } = await startScriptedServer((_, channel, { name }) => {
    if (name === 'channel.open') asked.push(channel)
    return name === 'channel.open' // silence, until the test answers
  })
  const session = await Session.open(url)
  const channels = ['a', 'b', 'c', 'd'].map((name) => session.superviseChannel(name, async () => {}))
  const seen: number[] = []

  for (const [index, channel] of channels.entries()) {
    await eventually(() => expect(asked).toHaveLength(index + 1), { intervalMs: 1 })
    await nextTick()
    seen.push(asked.length)
    peers[0]!.send(asked.at(-1)!, { name: 'channel.open-ok' })
    await channel.whenOpen()
  }

  expect(seen).toEqual([1, 2, 3, 4])
  await session.close()
})
