import type { Socket } from 'node:net'
import { createFrameWriter, type FrameWriter } from '../../wire/frame-writer.ts'
import { setImmediate } from '../../world.ts'

/** Above this many unsent bytes a caller is asked to wait; below it the socket never runs dry. */
const congestedBytes = 1024 * 1024
/** A tick that writes more than this is sent in parts, so that the broker can start while we go on. */
const flushBytes = 256 * 1024

/** The sending side of a connection: everything written in one tick leaves in one write. */
export interface Output {
  readonly frames: FrameWriter
  /** Tells that frames were written; they leave at the end of the tick. */
  written(): void
  /** Runs `prepare` once, right before the next write: that is when acks are put together. */
  beforeFlush(prepare: () => void): void
  flush(): void
  /** Tells that somebody holds acks back; `write` puts them among the frames. Once for each until `paid`. */
  owes(write: () => void): void
  paid(write: () => void): void
  /**
   * Hands everything to the kernel, what is held back included: it arrives whatever becomes of this process. False where
   * the kernel takes no more for now; `whenSent` tells then.
   */
  sendAll(): boolean
  /** Calls back once when the kernel has all that was sent, or when the socket is gone. */
  whenSent(callback: () => void): void
  isCongested(): boolean
  /** Resolves when the socket takes more, or when it is gone (who writes then learns it there). */
  drained(): Promise<void>
  /** Bytes handed to the socket since the connection was opened. */
  sentBytes(): number
  release(): void
}

export function createOutput(socket: Socket, { frameMax }: { frameMax: number }): Output {
  const frames = createFrameWriter({ frameMax })
  let isScheduled = false
  let sentBytes = 0
  let prepares: (() => void)[] = []
  let waiting: (() => void)[] = []
  let unsent: (() => void)[] = []
  const owing = new Set<() => void>()
  let isReleased = false

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(flush)
  }

  function flush(): void {
    isScheduled = false
    const ready = prepares
    prepares = []
    for (const prepare of ready) prepare()
    if (frames.pendingBytes() > 0) send()
  }

  function send(): void {
    sentBytes += frames.pendingBytes()
    const { buffers, release } = frames.take()
    if (socket.destroyed) return
    socket.cork()
    for (let index = 0; index < buffers.length - 1; index += 1) socket.write(buffers[index]!)
    socket.write(buffers[buffers.length - 1]!, () => {
      release()
      if (unsent.length > 0 && hasAll()) tellSent()
    })
    socket.uncork()
  }

  const hasAll = (): boolean => socket.writableLength === 0 || socket.destroyed

  function tellSent(): void {
    const told = unsent
    unsent = []
    for (const tell of told) tell()
  }

  function wake(): void {
    const woken = waiting
    waiting = []
    for (const resume of woken) resume()
    if (unsent.length > 0 && hasAll()) tellSent()
  }
  socket.on('drain', wake)
  socket.on('close', wake)

  return {
    frames,
    written: () => {
      if (frames.pendingBytes() >= flushBytes) send()
      schedule()
    },
    beforeFlush: (prepare) => {
      prepares.push(prepare)
      schedule()
    },
    flush,
    owes: (write) => {
      owing.add(write)
    },
    paid: (write) => {
      owing.delete(write)
    },
    sendAll: () => {
      for (const write of owing) write()
      if (frames.pendingBytes() > 0 || prepares.length > 0) flush()
      return hasAll()
    },
    whenSent: (callback) => {
      if (hasAll()) queueMicrotask(callback)
      else unsent.push(callback)
    },
    isCongested() {
      return socket.writableLength > congestedBytes
    },
    drained: () => {
      if (isReleased || socket.destroyed || socket.writableLength <= congestedBytes) return Promise.resolve()
      return new Promise((resolve) => waiting.push(resolve))
    },
    sentBytes() {
      return sentBytes
    },
    release: () => {
      isReleased = true
      socket.off('drain', wake)
      socket.off('close', wake)
      wake()
    },
  }
}
