import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { createFrameParser } from '../../../packages/warrenmq/src/wire/frame-parser.ts'
import { createFrameWriter } from '../../../packages/warrenmq/src/wire/frame-writer.ts'
import type { Method, MethodName } from '../../../packages/warrenmq/src/wire/method-specs.ts'
import { decodeMethod, encodeMethod } from '../../../packages/warrenmq/src/wire/methods.ts'
import { noProperties } from '../../../packages/warrenmq/src/wire/properties.ts'

export interface Peer {
  /** Every method that came so far. */
  readonly received: readonly { readonly channel: number; readonly method: Method }[]
  /** Methods that are sent together leave in one write. */
  send(channel: number, ...methods: Method[]): void
  sendContent(channel: number, method: Method, body: Buffer): void
  /** All bodies that came so far, one after the other. */
  readonly bodies: readonly Buffer[]
  readonly socket: Socket
}

/** What to do about a method instead of the usual answer; false leaves it to that. */
export type Script = (peer: Peer, channel: number, method: Method) => boolean | undefined

/** A server that says what no RabbitMQ would say. It answers like one where the script does not speak. */
export async function startScriptedServer(
  script: Script,
  { greeting = start }: { greeting?: Method | Buffer } = {},
): Promise<{ url: string; peers: readonly Peer[] }> {
  const peers: Peer[] = []
  const server = createServer((socket) => peers.push(serve(socket, { script, greeting })))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const { socket } of peers) socket.destroy()
    server.close()
  })
  const { port } = server.address() as { port: number }
  return { url: `amqp://127.0.0.1:${port}`, peers }
}

function serve(socket: Socket, { script, greeting }: { script: Script; greeting: Method | Buffer }): Peer {
  const received: { channel: number; method: Method }[] = []
  const bodies: Buffer[] = []
  const frames = createFrameWriter({ frameMax: 131_072 })
  const flush = () => socket.write(Buffer.concat(frames.take().buffers.map((piece) => Buffer.from(piece))))
  const peer: Peer = {
    received,
    bodies,
    socket,
    send: (channel, ...methods) => {
      for (const method of methods) frames.method(channel, method)
      flush()
    },
    sendContent: (channel, method, body) => {
      frames.content(channel, encodeMethod(method), noProperties, body)
      flush()
    },
  }
  const parser = createFrameParser(
    {
      method: (channel, payload) => {
        const method = decodeMethod(payload)
        received.push({ channel, method })
        if (!script(peer, channel, method)) answer(peer, channel, method)
      },
      header: () => {},
      body: (_, piece) => bodies.push(Buffer.from(piece)),
      heartbeat: () => {},
    },
    { bodyBytes: 131_072, headerBytes: 131_072 },
  )
  let hasGreeted = false
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    if (hasGreeted) parser.push(chunk)
    else greet(peer, greeting) // the protocol header comes alone
    hasGreeted = true
  })
  return peer
}

function greet(peer: Peer, greeting: Method | Buffer): void {
  if (Buffer.isBuffer(greeting)) peer.socket.write(greeting)
  else peer.send(0, greeting)
}

/** How RabbitMQ greets, without its properties. */
export const start: Method<'connection.start'> = {
  name: 'connection.start',
  versionMajor: 0,
  versionMinor: 9,
  serverProperties: [],
  mechanisms: Buffer.from('PLAIN'),
  locales: Buffer.from('en_US'),
}

const answers: Partial<Record<MethodName, Method>> = {
  'connection.start-ok': { name: 'connection.tune', channelMax: 2047, frameMax: 131_072, heartbeat: 0 },
  'connection.open': { name: 'connection.open-ok' },
  'connection.close': { name: 'connection.close-ok' },
  'channel.open': { name: 'channel.open-ok' },
  'channel.close': { name: 'channel.close-ok' },
  'confirm.select': { name: 'confirm.select-ok' },
}

function answer(peer: Peer, channel: number, method: Method): void {
  const reply = answers[method.name]
  if (reply) peer.send(channel, reply)
}

/** A message for a consumer that nobody has started, unless a test gives it another tag. */
export const deliver: Method<'basic.deliver'> = {
  name: 'basic.deliver',
  consumerTag: 'nobody',
  deliveryTag: 1,
  redelivered: false,
  exchange: '',
  routingKey: 'orders',
}
