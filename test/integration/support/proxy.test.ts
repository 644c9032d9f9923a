import { connect, createServer } from 'node:net'
import amqp, { type ChannelModel } from 'amqplib'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { type BrokerProxy, startProxy } from '../../support/start-proxy.ts'
import { useBroker } from '../../support/use-broker.ts'

const broker = await useBroker()
const basic = { classId: 60, publish: 40, ack: 80 } as const

async function setup(): Promise<{ proxy: BrokerProxy; open: () => Promise<ChannelModel> }> {
  const proxy = await startProxy({ target: Number(new URL(broker.url).port) })
  onTestFinished(() => proxy.close())
  const open = async () => {
    const connection = await amqp.connect(proxy.urlFor(broker.url))
    connection.on('error', () => {})
    return connection
  }
  return { proxy, open }
}

function closed(connection: ChannelModel): Promise<void> {
  return new Promise((resolve) => connection.once('close', () => resolve()))
}

async function depthOf(queue: string): Promise<number> {
  const connection = await amqp.connect(broker.url)
  const channel = await connection.createChannel()
  const { messageCount } = await channel.checkQueue(queue)
  await connection.close()
  return messageCount
}

test('a connection without faults passes everything', async () => {
  const { proxy, open } = await setup()
  const connection = await open()
  const channel = await connection.createConfirmChannel()
  await channel.assertQueue('plain')

  for (let index = 0; index < 1000; index += 1) channel.sendToQueue('plain', Buffer.alloc(1024, index))
  await channel.waitForConfirms()

  expect(proxy.connectionCount()).toBe(1)
  await connection.close()
  expect(await depthOf('plain')).toBe(1000)
  await eventually(() => proxy.connectionCount() === 0)
})

// The broker has the message in each case; only what the client learns of it differs.
test.each([
  { where: 'before', confirms: 2 },
  { where: 'middle', confirms: 2 },
  { where: 'after', confirms: 3 },
] as const)('a cut $where the third confirm lets $confirms through', async ({ where, confirms }) => {
  const { proxy, open } = await setup()
  const connection = await open()
  const channel = await connection.createConfirmChannel()
  channel.on('error', () => {})
  const queue = `cut-${where}`
  await channel.assertQueue(queue)
  const lost = closed(connection)
  const cut = proxy.cutAtFrame({
    direction: 'to-client',
    classId: basic.classId,
    methodId: basic.ack,
    nth: 3,
    where,
  })

  let seen = 0
  for (let index = 0; index < 3; index += 1) {
    await new Promise<void>((resolve) => {
      channel.sendToQueue(queue, Buffer.from('x'), {}, (error) => {
        if (!error) seen += 1
        resolve()
      })
    })
  }

  expect(await cut).toMatchObject({ frameType: 1, classId: basic.classId, methodId: basic.ack })
  await lost
  expect(seen).toBe(confirms)
  expect(await depthOf(queue)).toBe(3)
})

test('a cut before a publish keeps it from the broker', async () => {
  const { proxy, open } = await setup()
  const connection = await open()
  const channel = await connection.createChannel()
  await channel.assertQueue('unpublished')
  const lost = closed(connection)
  const cut = proxy.cutAtFrame({ direction: 'to-broker', classId: basic.classId, methodId: basic.publish })

  channel.sendToQueue('unpublished', Buffer.from('x'))

  await cut
  await lost
  expect(await depthOf('unpublished')).toBe(0)
})

test('cutAll ends every connection, and new ones are still taken', async () => {
  const { proxy, open } = await setup()
  const connections = await Promise.all([open(), open()])
  const lost = Promise.all(connections.map(closed))

  proxy.cutAll()

  await lost
  const another = await open()
  await another.close()
})

test('refused connections are refused until they are accepted again', async () => {
  const { proxy, open } = await setup()
  const before = await open()

  proxy.refuse()
  await expect(open()).rejects.toThrow('ECONNREFUSED')
  await expect(before.createChannel()).resolves.toBeDefined()
  await proxy.accept()

  const after = await open()
  await after.close()
  await before.close()
})

test('an ignored connection opens and never hears from the broker', async () => {
  const { proxy } = await setup()
  proxy.ignoreNew()

  const attempt = amqp.connect(proxy.urlFor(broker.url), { timeout: 300 })

  await expect(attempt).rejects.toThrow('ETIMEDOUT')
})

test('swallowed bytes reach nobody, and the connection stays open', async () => {
  const { proxy, open } = await setup()
  const connection = await open()
  const channel = await connection.createConfirmChannel()
  channel.on('error', () => {})
  await channel.assertQueue('swallowed')
  let confirms = 0

  const swallowed = proxy.atFrame(
    { direction: 'to-broker', frameType: 1, classId: basic.classId, methodId: basic.publish, nth: 2 },
    { kind: 'swallow', direction: 'to-broker' },
  )
  for (const body of ['arrives', 'vanishes']) {
    channel.sendToQueue('swallowed', Buffer.from(body), {}, (error) => {
      if (!error) confirms += 1
    })
  }
  await swallowed

  await eventually(() => confirms === 1)
  expect(proxy.connectionCount()).toBe(1)
  expect(await depthOf('swallowed')).toBe(1)
})

test('a throttled line carries its bytes late and whole, and a resumed one at once', async () => {
  const { proxy, open } = await setup()
  const connection = await open()
  const channel = await connection.createConfirmChannel()
  await channel.assertQueue('throttled')
  let isConfirmed = false

  proxy.throttle(1000)
  channel.sendToQueue('throttled', Buffer.alloc(200_000), {}, () => {
    isConfirmed = true
  })
  const other = await amqp.connect(broker.url)
  await other.close()
  expect(isConfirmed).toBe(false) // 200 s of bytes are on the connection, and another client has come and gone
  proxy.resume()

  await eventually(() => isConfirmed)
  await connection.close()
  expect(await depthOf('throttled')).toBe(1)
})

test('a delayed line holds its bytes back, and carries them in order when it is resumed', async () => {
  const { proxy, open } = await setup()
  const connection = await open()
  const channel = await connection.createConfirmChannel()
  await channel.assertQueue('delayed')
  const order: number[] = []

  proxy.delay(3_600_000)
  const confirmed = [1, 2, 3].map(
    (index) =>
      new Promise<void>((resolve) => {
        channel.sendToQueue('delayed', Buffer.from('x'), {}, () => resolve(void order.push(index)))
      }),
  )
  expect(await depthOf('delayed')).toBe(0)
  proxy.resume()
  await Promise.all(confirmed)

  expect(order).toEqual([1, 2, 3])
  await connection.close()
  expect(await depthOf('delayed')).toBe(3)
})

test('a delay of the connection is passed by all pieces together', async () => {
  const { proxy, open } = await setup()
  proxy.delay(20)

  const connection = await open()
  const channel = await connection.createConfirmChannel()
  await channel.assertQueue('slow')
  for (let index = 0; index < 1000; index += 1) channel.sendToQueue('slow', Buffer.from('x'))
  await channel.waitForConfirms() // three thousand frames: a minute if each waited for the one before
  await connection.close()

  expect(await depthOf('slow')).toBe(1000)
})

test('a stream that is not AMQP passes as raw bytes', async () => {
  const echo = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1')
  onTestFinished(() => void echo.close())
  await new Promise((resolve) => echo.once('listening', resolve))
  const proxy = await startProxy({ target: (echo.address() as { port: number }).port })
  onTestFinished(() => proxy.close())

  const sent = Buffer.from([0x16, 0x03, 0x01, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3])
  const socket = connect(proxy.port, '127.0.0.1')
  socket.end(sent)
  const received: Buffer[] = []
  for await (const chunk of socket) received.push(chunk as Buffer)

  expect(Buffer.concat(received)).toEqual(sent)
})
