import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import amqplib from 'amqplib'
import { expect, onTestFinished, test } from 'vitest'
import { createFrameWriter } from '../wire/frame-writer.ts'
import type { Method } from '../wire/method-specs.ts'
import { type EmbeddedBroker, startEmbeddedBroker } from './start-embedded-broker.ts'

const heartbeat = Buffer.from([8, 0, 0, 0, 0, 0, 0, 0xce])

async function setup(): Promise<EmbeddedBroker> {
  const broker = await startEmbeddedBroker()
  onTestFinished(broker.stop)
  return broker
}

/** A client that has said all it ever says at once; what it makes of the answers is the test's affair. */
async function introduce(
  broker: EmbeddedBroker,
  { heartbeatSeconds, methods = [] }: { heartbeatSeconds: number; methods?: readonly Method[] },
): Promise<Socket> {
  const socket = connect(broker.port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  const writer = createFrameWriter({ frameMax: 131_072 })
  writer.method(0, {
    name: 'connection.start-ok',
    clientProperties: [],
    mechanism: 'PLAIN',
    locale: 'en_US',
    response: Buffer.from('\0guest\0guest'),
  })
  writer.method(0, {
    name: 'connection.tune-ok',
    channelMax: 2047,
    frameMax: 131_072,
    heartbeat: heartbeatSeconds,
  })
  writer.method(0, { name: 'connection.open', vhost: '/' })
  for (const method of methods) writer.method(1, method)
  const { buffers } = writer.take()
  socket.write(Buffer.concat([Buffer.from('AMQP\0\0\x09\x01', 'latin1'), ...buffers]))
  return socket
}

test('a client gets heartbeats, and is cut when it sends none itself', async () => {
  const broker = await setup()
  const silent = await introduce(broker, { heartbeatSeconds: 1 })
  const alive = await introduce(broker, { heartbeatSeconds: 1 })
  let beats = 0
  silent.on('data', (chunk: Buffer) => {
    if (chunk.equals(heartbeat)) beats += 1
  })
  alive.on('data', (chunk: Buffer) => {
    if (chunk.equals(heartbeat)) alive.write(heartbeat)
  })

  await new Promise((resolve) => silent.on('close', resolve)) // it is reset, which `once` would take for a failure
  await once(alive, 'data')

  expect(beats).toBeGreaterThanOrEqual(2)
  expect(alive.closed).toBe(false)
})

test('a broker stops although a client does not read', async () => {
  const broker = await startEmbeddedBroker()
  const connection = await amqplib.connect(broker.url)
  connection.on('error', () => undefined)
  const channel = await connection.createConfirmChannel()
  channel.on('error', () => undefined)
  await channel.assertQueue('work')
  const deaf = await introduce(broker, {
    heartbeatSeconds: 0,
    methods: [
      { name: 'channel.open' },
      {
        name: 'basic.consume',
        queue: 'work',
        consumerTag: 'deaf',
        noLocal: false,
        noAck: true,
        exclusive: false,
        noWait: false,
        arguments: [],
      },
    ],
  })
  deaf.pause()
  for (let left = 32; left > 0; left -= 1) {
    channel.sendToQueue('work', Buffer.alloc(1024 * 1024))
    await channel.waitForConfirms()
  }
  const waiting = broker.inspect('work')?.counts.ready

  await broker.stop()

  expect(waiting).toBeGreaterThan(0)
})
