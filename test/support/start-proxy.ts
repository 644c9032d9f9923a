import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { takeFreePorts } from './node/free-ports.ts'
import { createFrameTrap, type Direction, type FrameFault, type FrameMatch } from './proxy/frame-trap.ts'
import { type LineConditions, pumpBytes, swallow } from './proxy/pump-bytes.ts'
import type { SeenFrame } from './proxy/split-frames.ts'

/** A TCP proxy before a broker, on which a test breaks the connection. TLS passes as raw bytes, without frames. */
export interface BrokerProxy {
  readonly port: number
  /** The same URL, through the proxy. */
  urlFor(url: string): string
  connectionCount(): number
  /** Ends every connection at once, by a reset unless `fin` is asked for. New ones are still accepted. */
  cutAll(how?: 'reset' | 'fin'): void
  /** Brings a fault at a chosen frame. Settles with the frame when it has happened. */
  atFrame(match: FrameMatch, fault: FrameFault): Promise<SeenFrame>
  /** Cuts the connection on which the frame is seen, before it is passed on, in its middle, or after it. */
  cutAtFrame(match: FrameMatch & { where?: 'before' | 'middle' | 'after' }): Promise<SeenFrame>
  delay(delayMs: number): void
  throttle(bytesPerSecond: number): void
  /** Takes bytes and gives them to nobody. */
  swallow(direction: Direction | 'both'): void
  /** Ends delay, throttle and swallow, also for what waits on the connection, and forgets the traps that have not sprung. */
  resume(): void
  /** New connections are refused; those that are open stay. */
  refuse(): void
  /** New connections are taken, and nobody ever answers on them. */
  ignoreNew(): void
  /** Back to taking new connections to the broker. */
  accept(): Promise<void>
  close(): void
}

export async function startProxy({ target }: { target: number }): Promise<BrokerProxy> {
  const conditions: LineConditions = {
    delayMs: 0,
    bytesPerSecond: Number.POSITIVE_INFINITY,
    swallowed: new Set(),
    traps: new Set(),
  }
  const sockets = new Set<Socket>()
  let ignoresNew = false

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    track(client, sockets)
    if (!ignoresNew) joinToBroker({ client, target, conditions, sockets })
  })
  const [port] = (await takeFreePorts(1, { of: 'proxy' })) as [number]
  await listen(server, port)

  const proxy: BrokerProxy = {
    port,
    urlFor: (url) => Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href,
    connectionCount: () => [...sockets].filter((socket) => socket.localPort === port).length,
    cutAll(how = 'reset') {
      for (const socket of sockets) {
        if (how === 'reset') socket.resetAndDestroy()
        else socket.destroy()
      }
    },
    atFrame(match, fault) {
      const { trap, sprung } = createFrameTrap(match, fault)
      conditions.traps.add(trap)
      return sprung
    },
    cutAtFrame: ({ where = 'before', ...match }) => proxy.atFrame(match, { kind: 'cut', where }),
    delay(delayMs) {
      conditions.delayMs = delayMs
    },
    throttle(bytesPerSecond) {
      conditions.bytesPerSecond = bytesPerSecond
    },
    swallow: (direction) => swallow(conditions, direction),
    resume() {
      conditions.delayMs = 0
      conditions.bytesPerSecond = Number.POSITIVE_INFINITY
      conditions.swallowed.clear()
      conditions.traps.clear()
    },
    refuse() {
      // The port is closed at once; only the callback of close() would wait for the open connections.
      server.close()
    },
    ignoreNew() {
      ignoresNew = true
    },
    async accept() {
      ignoresNew = false
      if (!server.listening) await listen(server, port)
    },
    close() {
      proxy.cutAll('fin')
      if (server.listening) server.close()
    },
  }
  return proxy
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
}

function track(socket: Socket, sockets: Set<Socket>): void {
  sockets.add(socket)
  socket.on('error', () => {})
  socket.once('close', () => sockets.delete(socket))
}

interface NewConnection {
  readonly client: Socket
  readonly target: number
  readonly conditions: LineConditions
  readonly sockets: Set<Socket>
}

function joinToBroker({ client, target, conditions, sockets }: NewConnection): void {
  const broker = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
  track(broker, sockets)
  const cut = () => {
    client.destroy()
    broker.destroy()
  }
  pumpBytes({ direction: 'to-broker', from: client, to: broker, conditions, cut })
  pumpBytes({ direction: 'to-client', from: broker, to: client, conditions, cut })
}
