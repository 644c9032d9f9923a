import { EventEmitter } from 'node:events'
import type { OnReadOpts } from 'node:net'
import type { PipeDirection } from './pipe-direction.ts'
import type { SimLoop } from './sim-loop.ts'
import type { SimProcess } from './sim-process.ts'

/** Where a socket ends. */
export interface SimAddress {
  readonly address: string
  readonly port: number
}

/** Above this many bytes `write` asks to wait for `drain`. */
const highWaterBytes = 64 * 1024

/** One end of a pipe: as much of Node's `net.Socket` as the library uses, with its rules of closing. */
export class SimSocket extends EventEmitter {
  readonly process: SimProcess
  readonly remoteAddress: string
  readonly remotePort: number
  readonly localAddress: string
  readonly localPort: number
  destroyed = false
  readonly #loop: SimLoop
  readonly #onread: OnReadOpts | undefined
  readonly #unread: (Buffer | 'end')[] = []
  #outgoing: PipeDirection | undefined
  #corked: Buffer[] | undefined
  #corkedDone: (() => void)[] = []
  #isPaused = false
  #hasEnded = false
  #wasEnded = false

  constructor(fields: {
    loop: SimLoop
    process: SimProcess
    local: SimAddress
    remote: SimAddress
    onread?: OnReadOpts | undefined
  }) {
    super()
    this.#loop = fields.loop
    this.process = fields.process
    this.#onread = fields.onread
    this.localAddress = fields.local.address
    this.localPort = fields.local.port
    this.remoteAddress = fields.remote.address
    this.remotePort = fields.remote.port
  }

  connectTo(outgoing: PipeDirection): void {
    this.#outgoing = outgoing
  }

  get writableLength(): number {
    return this.#outgoing?.unacceptedBytes ?? 0
  }

  setNoDelay(): this {
    return this
  }

  cork(): void {
    this.#corked ??= []
  }

  uncork(): void {
    const pieces = this.#corked
    if (!pieces) return
    this.#corked = undefined
    const done = this.#corkedDone
    this.#corkedDone = []
    if (pieces.length > 0) this.#send(Buffer.concat(pieces), done)
  }

  write(bytes: Buffer, done?: () => void): boolean {
    if (this.destroyed || this.#hasEnded) return false
    if (this.#corked) {
      this.#corked.push(bytes)
      if (done) this.#corkedDone.push(done)
    } else this.#send(Buffer.from(bytes), done ? [done] : [])
    return this.writableLength < highWaterBytes
  }

  #send(bytes: Buffer, done: readonly (() => void)[]): void {
    this.#outgoing?.send(bytes, () => {
      for (const each of done) each()
    })
  }

  end(done?: () => void): this {
    if (this.destroyed || this.#hasEnded) return this
    this.#hasEnded = true
    this.#outgoing?.sendEnd()
    if (done) this.#loop.soon(this.process, 'socket finish', done)
    if (this.#wasEnded) this.#close()
    return this
  }

  destroySoon(): void {
    this.end()
    this.destroy()
  }

  /** What was written still arrives, as far as the kernel has taken it. */
  destroy(error?: Error): this {
    if (this.destroyed) return this
    if (!this.#hasEnded) this.#outgoing?.sendEnd()
    this.#close(error)
    return this
  }

  resetAndDestroy(): this {
    if (this.destroyed) return this
    this.#outgoing?.reset()
    this.#close()
    return this
  }

  pause(): this {
    this.#isPaused = true
    return this
  }

  resume(): this {
    if (!this.#isPaused) return this
    this.#isPaused = false
    this.#loop.soon(this.process, 'socket resume', () => this.#read())
    return this
  }

  /** The other side is gone without a word: what it sent and was not read is lost. */
  wasReset(): void {
    if (this.destroyed) return
    const error = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' })
    this.#close(error)
  }

  received(chunk: Buffer | 'end'): void {
    this.#unread.push(chunk)
    this.#read()
  }

  #read(): void {
    while (!this.#isPaused && !this.destroyed) {
      const chunk = this.#unread.shift()
      if (chunk === undefined) return
      if (chunk === 'end') this.#readEnd()
      else this.#hand(chunk)
    }
  }

  #hand(chunk: Buffer): void {
    if (!this.#onread) {
      this.emit('data', chunk)
      return
    }
    for (let at = 0; at < chunk.length && !this.destroyed; ) {
      const { buffer } = this.#onread
      const room = typeof buffer === 'function' ? buffer() : buffer
      const bytes = Math.min(room.length, chunk.length - at)
      room.set(chunk.subarray(at, at + bytes))
      this.#onread.callback(bytes, room)
      at += bytes
    }
  }

  #readEnd(): void {
    this.#wasEnded = true
    this.emit('end')
    if (this.#hasEnded) this.#close()
    else this.end()
  }

  #close(error?: Error): void {
    if (this.destroyed) return
    this.destroyed = true
    this.#unread.length = 0
    this.#loop.soon(this.process, 'socket close', () => {
      if (error) this.emit('error', error)
      this.emit('close', error !== undefined)
    })
  }
}
