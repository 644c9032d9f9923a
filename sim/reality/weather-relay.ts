import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { createFrameSplitter, type SeenFrame } from '../../test/support/proxy/split-frames.ts'

/** Which way bytes go. */
export type Way = 'to-broker' | 'to-client'

/** One connection of an actor, in the hands of the nemesis. */
export interface Pipe {
  /** Ends both sides at once, by a reset. */
  cut(): void
  /** Lets so many more bytes go this way, and ends both sides then. */
  cutAfter(way: Way, bytes: number): void
  /** Takes bytes from now on and gives them to nobody; the sockets stay open. */
  blackHole(): void
  /** Passes nothing on for so long. */
  stall(ms: number): void
  /** Passes on a few bytes at a time for so long. */
  slow(ms: number): void
}

/** A port through which one actor talks to one port of a node. */
export interface WeatherRelay {
  readonly port: number
  readonly pipes: ReadonlySet<Pipe>
  /** Connections that have ended so far, whoever ended them. */
  readonly ended: number
  /** New connections end at once, for so long. */
  refuse(ms: number): void
  /** So many of the new connections end at once, as a share, for so long. */
  lose(share: number, ms: number): void
  close(): void
}

export interface RelayOptions {
  /** Asked for each connection. */
  readonly target: () => number
  readonly chance: () => number
  /** Called with each frame before it is passed on, if it is to be looked at. */
  readonly onFrame?: (frame: SeenFrame, way: Way, pipe: Pipe) => void
  /** A connection was cut, at the moment when it really was. */
  readonly onCut: () => void
}

export async function startWeatherRelay(options: RelayOptions): Promise<WeatherRelay> {
  const pipes = new Set<Pipe>()
  let ended = 0
  let refusedUntil = 0
  let loss = { share: 0, until: 0 }
  const server = createServer({ noDelay: true }, (client) => {
    client.on('error', () => {})
    const now = performance.now()
    if (now < refusedUntil || (now < loss.until && options.chance() < loss.share)) {
      client.resetAndDestroy()
      return
    }
    const pipe = openPipe(client, options)
    pipes.add(pipe)
    client.once('close', () => {
      pipes.delete(pipe)
      ended += 1
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as { port: number }).port,
    pipes,
    get ended() {
      return ended
    },
    refuse(ms) {
      refusedUntil = performance.now() + ms
    },
    lose(share, ms) {
      loss = { share, until: performance.now() + ms }
    },
    close() {
      server.close()
      for (const pipe of pipes) pipe.cut()
    },
  }
}

interface Direction {
  /** So many bytes may go until the connection is cut. */
  bytesLeft: number
  readonly waiting: Buffer[]
  isPumping: boolean
}

const dripBytes = 16
const dripMs = 4

function openPipe(client: Socket, { target, onFrame, onCut }: RelayOptions): Pipe {
  const broker = connect({ port: target(), host: '127.0.0.1', noDelay: true })
  broker.on('error', () => {})
  const ways: Record<Way, Direction> = { 'to-broker': open(), 'to-client': open() }
  let isHole = false
  let stalledUntil = 0
  let slowUntil = 0
  let isCut = false

  const end = (): void => {
    client.resetAndDestroy()
    broker.resetAndDestroy()
  }
  const pipe: Pipe = {
    cut() {
      if (isCut || client.destroyed) return
      isCut = true
      onCut()
      end()
    },
    cutAfter(way, bytes) {
      ways[way].bytesLeft = Math.min(ways[way].bytesLeft, bytes)
    },
    blackHole() {
      isHole = true
    },
    stall(ms) {
      stalledUntil = performance.now() + ms
    },
    slow(ms) {
      slowUntil = performance.now() + ms
    },
  }

  /** Writes what is due, and looks again while the weather is bad. */
  const pump = (way: Way, to: Socket): void => {
    const direction = ways[way]
    direction.isPumping = false
    const again = (ms: number): void => {
      if (direction.isPumping || to.destroyed) return
      direction.isPumping = true
      setTimeout(() => pump(way, to), ms)
    }
    const now = performance.now()
    if (isHole) {
      direction.waiting.length = 0
      return
    }
    if (now < stalledUntil) return again(Math.min(50, stalledUntil - now))
    while (direction.waiting.length > 0 && !to.destroyed) {
      const first = direction.waiting[0]!
      const isSlow = now < slowUntil
      const most = Math.min(isSlow ? dripBytes : first.length, direction.bytesLeft)
      if (most > 0) to.write(first.subarray(0, most))
      direction.bytesLeft -= most
      if (direction.bytesLeft <= 0) return pipe.cut()
      if (most === first.length) direction.waiting.shift()
      else direction.waiting[0] = first.subarray(most)
      if (isSlow && direction.waiting.length > 0) return again(dripMs)
    }
  }

  const join = (way: Way, from: Socket, to: Socket): void => {
    const split = onFrame && createFrameSplitter()
    from.on('data', (chunk: Buffer) => {
      const { waiting, isPumping } = ways[way]
      for (const { bytes, frame } of split?.(chunk) ?? [{ bytes: chunk, frame: undefined }]) {
        if (frame) onFrame?.(frame, way, pipe)
        waiting.push(bytes)
        // What the nemesis does at a frame must reach what came before it.
        if (split && !isPumping) pump(way, to)
      }
      if (!isPumping) pump(way, to)
    })
    from.on('close', () => to.destroy())
  }
  join('to-broker', client, broker)
  join('to-client', broker, client)
  return pipe
}

function open(): Direction {
  return { bytesLeft: Number.POSITIVE_INFINITY, waiting: [], isPumping: false }
}
