import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createFrameParser } from '../../packages/warrenmq/src/wire/frame-parser.ts'
import { createFrameWriter } from '../../packages/warrenmq/src/wire/frame-writer.ts'
import type { Method, MethodName } from '../../packages/warrenmq/src/wire/method-specs.ts'
import { decodeMethod, encodeMethod } from '../../packages/warrenmq/src/wire/methods.ts'
import { toFieldTable } from '../../packages/warrenmq/src/wire/plain-fields.ts'
import type { RawProperties } from '../../packages/warrenmq/src/wire/properties.ts'

/** What came in on a channel: a method, with its content where it has one. */
export interface Received {
  readonly channel: number
  readonly method: Method
  readonly properties?: RawProperties
  readonly body?: Buffer
}

/** A client that hides nothing: it sends what it is told and hands over all that comes. */
export interface RawClient {
  send(channel: number, method: Method): void
  publish(channel: number, method: Method<'basic.publish'>, properties: RawProperties, body: Buffer): void
  /** Bytes that may be no frame at all. */
  write(bytes: Buffer): void
  /** Waits for the next method of one of these names on the channel; call it before the answer can be there. */
  expect(channel: number, names: readonly MethodName[]): Promise<Method>
  readonly isOpen: boolean
  close(): Promise<void>
}

interface Waiting {
  readonly channel: number
  readonly names: readonly MethodName[]
  resolve(method: Method): void
  reject(error: Error): void
}

export interface RawOptions {
  /** How many channels the client says it will have. @default 2047 */
  readonly channelMax?: number
}

export async function connectRaw(
  url: string,
  onReceived: (received: Received) => void,
  { channelMax = 2047 }: RawOptions = {},
): Promise<RawClient> {
  const target = new URL(url)
  const socket = connect(Number(target.port), target.hostname)
  socket.setNoDelay(true)
  await once(socket, 'connect')
  return handshake(socket, target, { onReceived, channelMax })
}

async function handshake(
  socket: Socket,
  target: URL,
  { onReceived, channelMax }: { onReceived: (received: Received) => void; channelMax: number },
): Promise<RawClient> {
  const writer = createFrameWriter({ frameMax: 131_072 })
  const waiting: Waiting[] = []
  const pending = new Map<
    number,
    { method: Method; properties?: RawProperties; missing: number; pieces: Buffer[] }
  >()
  let isOpen = true

  function flush(): void {
    const { buffers, release } = writer.take()
    for (const [at, bytes] of buffers.entries()) {
      if (at === buffers.length - 1) socket.write(bytes, release)
      else socket.write(bytes)
    }
  }

  function hand(received: Received): void {
    const { channel, method } = received
    if (method.name === 'connection.close') {
      writer.method(0, { name: 'connection.close-ok' })
      flush()
      isOpen = false
    }
    if (method.name === 'channel.close') {
      writer.method(channel, { name: 'channel.close-ok' })
      flush()
    }
    if (method.name === 'connection.close-ok') isOpen = false
    onReceived(received)
    const at = waiting.findIndex((item) => item.channel === channel && item.names.includes(method.name))
    if (at !== -1) waiting.splice(at, 1)[0]!.resolve(method)
  }

  const parser = createFrameParser(
    {
      method: (channel, payload) => {
        const method = decodeMethod(Buffer.from(payload))
        if (
          method.name === 'basic.deliver' ||
          method.name === 'basic.get-ok' ||
          method.name === 'basic.return'
        ) {
          pending.set(channel, { method, missing: -1, pieces: [] })
        } else hand({ channel, method })
      },
      header: (channel, payload) => {
        const content = pending.get(channel)!
        content.properties = Buffer.from(payload.subarray(12))
        content.missing = payload.readUInt32BE(8)
        if (content.missing === 0) finish(channel)
      },
      body: (channel, piece) => {
        const content = pending.get(channel)!
        content.pieces.push(Buffer.from(piece))
        content.missing -= piece.length
        if (content.missing === 0) finish(channel)
      },
      heartbeat: () => undefined,
    },
    { bodyBytes: 1 << 24, headerBytes: 1 << 24 },
  )

  function finish(channel: number): void {
    const { method, properties, pieces } = pending.get(channel)!
    pending.delete(channel)
    hand({ channel, method, properties: properties!, body: Buffer.concat(pieces) })
  }

  const client: RawClient = {
    send: (channel, method) => {
      writer.method(channel, method)
      flush()
    },
    publish: (channel, method, properties, body) => {
      writer.content(channel, encodeMethod(method), properties, body)
      flush()
    },
    write: (bytes) => {
      socket.write(bytes)
    },
    expect: (channel, names) =>
      new Promise((resolve, reject) => {
        waiting.push({ channel, names, resolve, reject })
      }),
    get isOpen() {
      return isOpen
    },
    close: async () => {
      if (socket.closed) return
      const closed = once(socket, 'close')
      socket.destroy()
      await closed
    },
  }

  socket.on('data', (chunk) => parser.push(chunk))
  socket.on('error', () => undefined)
  socket.on('close', () => {
    isOpen = false
    for (const { names, reject } of waiting.splice(0)) {
      reject(new Error(`The connection ended before ${names.join(' or ')} came.`))
    }
  })
  socket.write(Buffer.from('AMQP\0\0\x09\x01', 'latin1'))
  await client.expect(0, ['connection.start'])
  client.send(0, {
    name: 'connection.start-ok',
    clientProperties: toFieldTable({
      capabilities: {
        consumer_cancel_notify: true,
        'basic.nack': true,
        publisher_confirms: true,
        authentication_failure_close: true,
        'connection.blocked': true,
      },
    }),
    mechanism: 'PLAIN',
    response: Buffer.from(`\0${decodeURIComponent(target.username)}\0${decodeURIComponent(target.password)}`),
    locale: 'en_US',
  })
  await client.expect(0, ['connection.tune'])
  client.send(0, { name: 'connection.tune-ok', channelMax, frameMax: 131_072, heartbeat: 0 })
  client.send(0, { name: 'connection.open', vhost: decodeURIComponent(target.pathname.slice(1)) || '/' })
  await client.expect(0, ['connection.open-ok'])
  return client
}
