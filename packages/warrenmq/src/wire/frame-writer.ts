import { InvalidArgumentError } from '../errors.ts'
import { frameEnd, frameTypes } from './frame-parser.ts'
import type { Method } from './method-specs.ts'
import { encodeMethod } from './methods.ts'
import type { RawProperties } from './properties.ts'

/** A body in one piece, or in the pieces in which it was read. */
export type Body = Buffer | readonly Buffer[]

export interface FrameWriter {
  method(channel: number, method: Method): void
  /** A method that carries a message: its frame, the header frame and as many body frames as needed. */
  content(channel: number, methodPayload: Buffer, properties: RawProperties, body: Body): void
  ack(channel: number, deliveryTag: number, multiple: boolean): void
  heartbeat(): void
  /** Bytes written and not yet taken. */
  pendingBytes(): number
  /** Everything written since the last call, to be sent in this order. */
  take(): Batch
}

/** Bytes to send, and what to call once they have left: their memory is then written to again. */
export interface Batch {
  readonly buffers: readonly Buffer[]
  readonly release: () => void
}

const slabBytes = 64 * 1024
/** Slabs kept for the next writes: a megabyte per connection, so that a busy one allocates nothing. */
const maxFreeSlabs = 16
/** Larger bodies are sent from where they are; smaller ones are cheaper to copy than to send apart. */
const copyLimitBytes = 16 * 1024
const frameOverhead = 8

export interface FrameWriterOptions {
  /** As negotiated, in bytes with the frame's own eight; 0 means no limit. */
  readonly frameMax: number
  /** A broker sends header frames beyond frame_max when x-death has grown; a client must not. @default frameMax */
  readonly headerMax?: number
}

/** Collects frames so that one tick becomes one write. */
export function createFrameWriter({ frameMax, headerMax = frameMax }: FrameWriterOptions): FrameWriter {
  const bodyLimit = payloadLimit(frameMax)
  const headerLimit = payloadLimit(headerMax)
  const freeSlabs: Buffer[] = []
  let fullSlabs: Buffer[] = []
  let done: Buffer[] = []
  let pendingBytes = 0
  let slab: Buffer = Buffer.allocUnsafeSlow(slabBytes)
  let start = 0
  let at = 0

  function reserve(size: number): void {
    if (at + size <= slab.length) return
    sealSlab()
    if (slab.length === slabBytes) fullSlabs.push(slab)
    slab =
      (size <= slabBytes ? freeSlabs.pop() : undefined) ?? Buffer.allocUnsafeSlow(Math.max(slabBytes, size))
    start = 0
    at = 0
  }

  function sealSlab(): void {
    if (at > start) done.push(slab.subarray(start, at))
    start = at
  }

  function keepForLater(slabs: readonly Buffer[]): void {
    for (const spent of slabs) if (freeSlabs.length < maxFreeSlabs) freeSlabs.push(spent)
  }

  function openFrame(type: number, channel: number, size: number): void {
    slab[at] = type
    slab[at + 1] = channel >> 8
    slab[at + 2] = channel
    writeUint32(slab, at + 3, size)
    at += 7
  }

  function closeFrame(): void {
    slab[at] = frameEnd
    at += 1
  }

  function smallFrame(type: number, channel: number, payload: Buffer): void {
    const size = payload.length + frameOverhead
    reserve(size)
    openFrame(type, channel, payload.length)
    at += payload.copy(slab, at)
    closeFrame()
    pendingBytes += size
  }

  function methodFrame(channel: number, method: Method): void {
    const payload = encodeMethod(method)
    if (payload.length > headerLimit) {
      throw new InvalidArgumentError(
        `${method.name} has ${payload.length} bytes; this connection allows ${headerLimit}. Shorten its arguments.`,
      )
    }
    smallFrame(frameTypes.method, channel, payload)
  }

  function checkHeader(properties: RawProperties): void {
    if (12 + properties.length <= headerLimit) return
    throw new InvalidArgumentError(
      `The properties and headers of a message have ${properties.length} bytes; this connection allows ${headerLimit - 12}. ` +
        'Shorten the headers or move them into the body.',
    )
  }

  function headerFrame(channel: number, bodyBytes: number, properties: RawProperties): void {
    const payloadBytes = 12 + properties.length
    reserve(payloadBytes + frameOverhead)
    openFrame(frameTypes.header, channel, payloadBytes)
    writeUint32(slab, at, 60 * 0x10000)
    writeUint32(slab, at + 4, Math.floor(bodyBytes / 0x100000000))
    writeUint32(slab, at + 8, bodyBytes)
    at += 12
    at += properties.copy(slab, at)
    closeFrame()
    pendingBytes += payloadBytes + frameOverhead
  }

  function bodyFrames(channel: number, piece: Buffer): void {
    for (let from = 0; from < piece.length; from += bodyLimit) {
      bodyFrame(channel, piece.length <= bodyLimit ? piece : piece.subarray(from, from + bodyLimit))
    }
  }

  function bodyFrame(channel: number, payload: Buffer): void {
    if (payload.length <= copyLimitBytes) {
      smallFrame(frameTypes.body, channel, payload)
      return
    }
    reserve(7)
    openFrame(frameTypes.body, channel, payload.length)
    sealSlab()
    done.push(payload)
    reserve(1)
    closeFrame()
    pendingBytes += payload.length + frameOverhead
  }

  return {
    method: methodFrame,
    content: (channel, methodPayload, properties, body) => {
      checkHeader(properties) // before the first byte: half a message on the wire would end the connection
      smallFrame(frameTypes.method, channel, methodPayload)
      headerFrame(channel, sizeOfBody(body), properties)
      if (Buffer.isBuffer(body)) bodyFrames(channel, body)
      else for (const piece of body) bodyFrames(channel, piece)
    },
    ack: (channel, deliveryTag, multiple) => {
      reserve(13 + frameOverhead)
      openFrame(frameTypes.method, channel, 13)
      writeUint32(slab, at, 60 * 0x10000 + 80)
      writeUint32(slab, at + 4, Math.floor(deliveryTag / 0x100000000))
      writeUint32(slab, at + 8, deliveryTag)
      slab[at + 12] = multiple ? 1 : 0
      at += 13
      closeFrame()
      pendingBytes += 13 + frameOverhead
    },
    heartbeat: () => smallFrame(frameTypes.heartbeat, 0, Buffer.alloc(0)),
    pendingBytes() {
      return pendingBytes
    },
    take: () => {
      sealSlab()
      const buffers = done
      const spent = fullSlabs
      done = []
      fullSlabs = []
      pendingBytes = 0
      return { buffers, release: () => keepForLater(spent) }
    },
  }
}

export function sizeOfBody(body: Body): number {
  if (Buffer.isBuffer(body)) return body.length
  let size = 0
  for (const piece of body) size += piece.length
  return size
}

function writeUint32(bytes: Buffer, at: number, value: number): void {
  bytes[at] = value >>> 24
  bytes[at + 1] = value >>> 16
  bytes[at + 2] = value >>> 8
  bytes[at + 3] = value
}

function payloadLimit(frameMax: number): number {
  if (frameMax === 0) return Number.MAX_SAFE_INTEGER
  if (frameMax > frameOverhead) return frameMax - frameOverhead
  throw new InvalidArgumentError(
    `A frame of ${frameMax} bytes has no room for a payload. AMQP's minimum is 4096.`,
  )
}
