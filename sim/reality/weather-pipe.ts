import { connect, type Socket } from 'node:net'
import { createFrameSplitter, type SeenFrame } from '../../test/support/proxy/split-frames.ts'

/** Which way bytes go. */
export type Way = 'to-broker' | 'to-client'

export interface PipeWatch {
  /** Called with each frame before it is passed on. */
  readonly onFrame: (frame: SeenFrame, way: Way, pipe: WeatherPipe) => void
  /** It was cut, at the moment when it really was. */
  readonly onCut: () => void
}

interface Direction {
  /** So many bytes may go until the connection is cut. */
  bytesLeft: number
  readonly waiting: Buffer[]
  isPumping: boolean
}

const dripBytes = 16
const dripMs = 4
const lookMs = 50

/** One connection of an actor, in the hands of the nemesis. */
export class WeatherPipe {
  readonly #client: Socket
  readonly #broker: Socket
  readonly #watch: PipeWatch
  readonly #ways: Record<Way, Direction> = { 'to-broker': open(), 'to-client': open() }
  #isHole = false
  #isCut = false
  #stalledUntil = 0
  #slowUntil = 0

  constructor(client: Socket, { target, ...watch }: PipeWatch & { readonly target: number }) {
    this.#client = client
    this.#broker = connect({ port: target, host: '127.0.0.1', noDelay: true })
    this.#broker.on('error', () => {})
    this.#watch = watch
    this.#join('to-broker', client, this.#broker)
    this.#join('to-client', this.#broker, client)
  }

  /** Ends both sides at once, by a reset. */
  cut(): void {
    if (this.#isCut || this.#client.destroyed) return
    this.#isCut = true
    this.#watch.onCut()
    this.end()
  }

  /** Lets so many more bytes go this way, and ends both sides then. */
  cutAfter(way: Way, bytes: number): void {
    const direction = this.#ways[way]
    direction.bytesLeft = Math.min(direction.bytesLeft, bytes)
  }

  /** Takes bytes from now on and gives them to nobody; the sockets stay open. */
  blackHole(): void {
    this.#isHole = true
  }

  /** Passes nothing on for so long. */
  stall(ms: number): void {
    this.#stalledUntil = performance.now() + ms
  }

  /** Passes on a few bytes at a time for so long. */
  slow(ms: number): void {
    this.#slowUntil = performance.now() + ms
  }

  /** As `cut`, when all is over: it is none. */
  end(): void {
    this.#client.resetAndDestroy()
    this.#broker.resetAndDestroy()
  }

  #join(way: Way, from: Socket, to: Socket): void {
    const split = createFrameSplitter()
    const direction = this.#ways[way]
    from.on('data', (chunk: Buffer) => {
      for (const { bytes, frame } of split(chunk)) {
        if (frame) this.#watch.onFrame(frame, way, this)
        direction.waiting.push(bytes)
        // What the nemesis does at a frame must not reach what came before it.
        if (!direction.isPumping) this.#pump(direction, to)
      }
    })
    from.on('close', () => to.destroy())
  }

  /** Writes what is due, and looks again while the weather is bad. */
  #pump(direction: Direction, to: Socket): void {
    const waitMs = this.#write(direction, to)
    direction.isPumping = waitMs !== undefined && !to.destroyed
    if (!direction.isPumping) return
    setTimeout(() => this.#pump(direction, to), waitMs)
  }

  /** Gives how long to wait if something is left. */
  #write(direction: Direction, to: Socket): number | undefined {
    const { waiting } = direction
    const now = performance.now()
    if (this.#isHole) waiting.length = 0
    if (now < this.#stalledUntil) return Math.min(lookMs, this.#stalledUntil - now)
    const isSlow = now < this.#slowUntil
    for (let first = waiting.shift(); first && !to.destroyed; first = waiting.shift()) {
      const most = Math.min(isSlow ? dripBytes : first.length, direction.bytesLeft)
      if (most > 0) to.write(first.subarray(0, most))
      direction.bytesLeft -= most
      if (direction.bytesLeft <= 0) this.cut()
      if (most < first.length) waiting.unshift(first.subarray(most))
      if (isSlow && waiting.length > 0) return dripMs
    }
    return undefined
  }
}

function open(): Direction {
  return { bytesLeft: Number.POSITIVE_INFINITY, waiting: [], isPumping: false }
}
