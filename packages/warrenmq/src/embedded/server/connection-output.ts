import type { Socket } from 'node:net'
import { type Body, createFrameWriter } from '../../wire/frame-writer.ts'
import type { Method } from '../../wire/method-specs.ts'
import type { RawProperties } from '../../wire/properties.ts'

/** What goes out on a connection: gathered during a turn, written at its end. */
export interface ConnectionOutput {
  method(channel: number, method: Method): void
  content(channel: number, methodPayload: Buffer, properties: RawProperties, body: Body): void
  ack(channel: number, deliveryTag: number, multiple: boolean): void
  heartbeat(): void
  /** Writes at the end of this turn. */
  planFlush(): void
  flush(): void
  /** Largest frame from now on, in bytes. */
  limitFrames(frameMax: number): void
  /** Forgets what was not written, and takes no more. */
  drop(): void
  /** Nothing waits, here or in the socket. */
  isFlushed(): boolean
  /** False while so much waits that consumers should get no more. */
  isWritable(): boolean
}

/** As much may wait for a slow reader. */
const highWaterBytes = 1024 * 1024

export function createConnectionOutput(
  socket: Socket,
  {
    frameMax,
    beforeFlush,
    onWritten,
  }: {
    frameMax: number
    /** Puts in what is only written at the end of a turn. */
    beforeFlush: () => void
    onWritten: () => void
  },
): ConnectionOutput {
  // The broker's header frames may be larger than frame_max: x-death grows, and RabbitMQ does not split it.
  let writer = createFrameWriter({ frameMax, headerMax: 0 })
  let isPlanned = false
  let isDropped = false

  function planFlush(): void {
    if (isPlanned || isDropped) return
    isPlanned = true
    queueMicrotask(() => {
      isPlanned = false
      flush()
    })
  }

  function flush(): void {
    if (isDropped) return
    beforeFlush()
    if (writer.pendingBytes() === 0) return
    onWritten()
    const { buffers, release } = writer.take()
    socket.cork()
    for (const [at, bytes] of buffers.entries()) {
      if (at === buffers.length - 1) socket.write(bytes, release)
      else socket.write(bytes)
    }
    socket.uncork()
  }

  function write(put: () => void): void {
    if (isDropped) return
    put()
    planFlush()
  }

  return {
    method: (channel, method) => write(() => writer.method(channel, method)),
    content: (channel, payload, properties, body) =>
      write(() => writer.content(channel, payload, properties, body)),
    ack: (channel, deliveryTag, multiple) => write(() => writer.ack(channel, deliveryTag, multiple)),
    heartbeat: () => write(() => writer.heartbeat()),
    planFlush,
    flush,
    limitFrames: (next) => {
      flush()
      writer = createFrameWriter({ frameMax: next, headerMax: 0 })
    },
    drop: () => {
      isDropped = true
    },
    isFlushed() {
      return isDropped || (!isPlanned && writer.pendingBytes() === 0 && socket.writableLength === 0)
    },
    isWritable() {
      return writer.pendingBytes() + socket.writableLength < highWaterBytes
    },
  }
}
