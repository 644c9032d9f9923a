import type { Random } from './random.ts'
import type { SimLoop } from './sim-loop.ts'
import type { SimSocket } from './sim-socket.ts'

/** How a network treats what is sent. */
export interface NetworkWeather {
  /** The usual way takes so long. */
  readonly latencyMs: number
  readonly jitterMs: number
  /** How often a write arrives in several pieces. */
  readonly chunking: number
}

/** As much may be under way; what is more waits at the sender. */
const windowBytes = 64 * 1024

interface Piece {
  readonly bytes: Buffer
  readonly done: (() => void) | undefined
}

/** One direction of a pipe: bytes keep their order, and take their time. */
export class PipeDirection {
  readonly #loop: SimLoop
  readonly #random: Random
  readonly #weather: NetworkWeather
  readonly #from: SimSocket
  readonly #to: SimSocket
  readonly #pieces: Piece[] = []
  #underWayBytes = 0
  #lastDueMs = 0
  #heldUntilMs = 0
  #slowUntilMs = 0
  #bytesPerMs = 0
  #state: 'open' | 'ended' | 'cut' | 'swallowed' = 'open'
  #needsDrain = false

  constructor(fields: {
    loop: SimLoop
    random: Random
    weather: NetworkWeather
    from: SimSocket
    to: SimSocket
  }) {
    this.#loop = fields.loop
    this.#random = fields.random
    this.#weather = fields.weather
    this.#from = fields.from
    this.#to = fields.to
  }

  get unacceptedBytes(): number {
    return Math.max(0, this.#underWayBytes - windowBytes)
  }

  get underWayBytes(): number {
    return this.#underWayBytes
  }

  send(bytes: Buffer, done: () => void): void {
    if (this.#state !== 'open') return
    let at = 0
    while (at < bytes.length) {
      const left = bytes.length - at
      const size =
        left > 1 && this.#random.chance(this.#weather.chunking) ? 1 + this.#random.below(left - 1) : left
      const isLast = at + size === bytes.length
      this.#plan({ bytes: bytes.subarray(at, at + size), done: isLast ? done : undefined })
      at += size
    }
    if (this.unacceptedBytes > 0) this.#needsDrain = true
  }

  sendEnd(): void {
    if (this.#state !== 'open') return
    this.#state = 'ended'
    this.#loop.at(this.#nextDueMs(), this.#to.process, 'arrival of end', () => this.#to.received('end'))
  }

  /** Nothing is said any more, and what is under way arrives only up to some byte. */
  reset(): void {
    if (this.#state === 'swallowed') return
    this.#state = 'cut'
    this.#cutUnderWay()
    this.#loop.at(this.#nextDueMs(), this.#to.process, 'arrival of reset', () => this.#to.wasReset())
  }

  /** Nothing arrives any more, and nobody is told. */
  swallow(): void {
    this.#state = 'swallowed'
    this.#cutUnderWay()
  }

  /** Nothing arrives before. */
  hold(untilMs: number): void {
    this.#heldUntilMs = Math.max(this.#heldUntilMs, untilMs)
  }

  /** Until then it carries only so many bytes a millisecond. */
  slow(untilMs: number, bytesPerMs: number): void {
    this.#slowUntilMs = untilMs
    this.#bytesPerMs = bytesPerMs
  }

  #cutUnderWay(): void {
    let left = this.#random.below(this.#underWayBytes + 1)
    for (const [at, { bytes }] of this.#pieces.entries()) {
      const kept = Math.min(left, bytes.length)
      this.#pieces[at] = { bytes: bytes.subarray(0, kept), done: undefined }
      left -= kept
    }
  }

  #plan(piece: Piece): void {
    this.#pieces.push(piece)
    this.#underWayBytes += piece.bytes.length
    this.#loop.at(this.#nextDueMs(piece.bytes.length), this.#to.process, 'arrival', () => this.#arrive())
  }

  #nextDueMs(bytes = 0): number {
    const { latencyMs, jitterMs } = this.#weather
    const takesMs = latencyMs + this.#random.next() ** 3 * jitterMs
    const { nowMs } = this.#loop
    this.#lastDueMs = Math.max(this.#lastDueMs, this.#heldUntilMs, nowMs + takesMs)
    if (nowMs < this.#slowUntilMs) this.#lastDueMs += bytes / this.#bytesPerMs
    return this.#lastDueMs
  }

  #arrive(): void {
    if (this.#loop.nowMs < this.#heldUntilMs) {
      this.#loop.at(this.#heldUntilMs, this.#to.process, 'arrival', () => this.#arrive())
      return
    }
    const { bytes, done } = this.#pieces.shift()!
    this.#underWayBytes -= bytes.length
    if (done) this.#loop.soon(this.#from.process, 'socket written', done)
    if (this.#needsDrain && this.unacceptedBytes === 0) {
      this.#needsDrain = false
      this.#loop.soon(this.#from.process, 'socket drain', () => this.#from.emit('drain'))
    }
    if (bytes.length === 0) return
    this.#loop.trace.add(`${bytes.length} bytes, ${bytes[0]} to ${bytes[bytes.length - 1]}`)
    this.#to.received(bytes)
  }
}
