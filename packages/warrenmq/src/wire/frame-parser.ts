import { WireError, type WireErrorCode } from '../errors.ts'

export const frameTypes = { method: 1, header: 2, body: 3, heartbeat: 8 } as const
export const frameEnd = 0xce

const startBytes = 7
const noBytes = Buffer.alloc(0)
/** Room made at once for a frame that is held; a larger one gets its room as its bytes arrive. */
const firstRoomBytes = 4096

/** What a parser hands over. Payloads are views into the chunk that was read: copy what outlives the call. */
export interface FrameSink {
  method(channel: number, payload: Buffer): void
  header(channel: number, payload: Buffer): void
  /** A piece of a body, as it arrives: a frame that spans two reads comes as two pieces, so no body is copied. */
  body(channel: number, piece: Buffer): void
  heartbeat(): void
}

export interface FrameLimits {
  /** Largest payload of a body frame, in bytes. */
  readonly bodyBytes: number
  /** Largest payload of a method or header frame. RabbitMQ sends header frames beyond frame_max. */
  readonly headerBytes: number
}

export interface FrameParser {
  /** Takes the next bytes of the stream. Throws a WireError, or what the sink threw, and from then on always that. */
  push(chunk: Buffer): void
  setLimits(limits: FrameLimits): void
  /** Bytes held back because their frame is not complete. */
  heldBytes(): number
}

/** Cuts a byte stream into frames. Holds at most one method or header frame, and of a body nothing. */
export function createFrameParser(sink: FrameSink, initialLimits: FrameLimits): FrameParser {
  let limits = initialLimits
  let failure: Error | undefined
  let offset = 0
  let type = 0
  let channel = 0
  /** Payload bytes still to come; −1 while the seven bytes before a payload are read. */
  let remaining = -1
  let held = noBytes
  let heldBytes = 0

  function push(chunk: Buffer): void {
    if (failure) throw failure
    let at = 0
    try {
      while (at < chunk.length) at = remaining === -1 ? readStart(chunk, at) : readPayload(chunk, at)
    } catch (error) {
      // Also when the sink threw: the rest of this chunk is lost, so nothing behind it can be read.
      failure = error as Error
      release()
      throw error
    }
    offset += chunk.length
  }

  function readStart(chunk: Buffer, at: number): number {
    const missing = startBytes - heldBytes
    if (chunk.length - at < missing) return hold(chunk, at, chunk.length, startBytes)
    const frameAt = at - heldBytes
    if (heldBytes === 0) openFrame(chunk, at, frameAt)
    else openFrame(takeHeld(chunk, at, at + missing, startBytes), 0, frameAt)
    return at + missing
  }

  function openFrame(bytes: Buffer, at: number, frameAt: number): void {
    type = bytes[at]!
    channel = bytes.readUInt16BE(at + 1)
    remaining = bytes.readUInt32BE(at + 3)
    if (type === frameTypes.body) check(remaining <= limits.bodyBytes, 'body', limits.bodyBytes, frameAt)
    else if (type === frameTypes.method)
      check(remaining <= limits.headerBytes, 'method', limits.headerBytes, frameAt)
    else if (type === frameTypes.header)
      check(remaining <= limits.headerBytes, 'header', limits.headerBytes, frameAt, 'header')
    else if (type === frameTypes.heartbeat) check(remaining === 0, 'heartbeat', 0, frameAt)
    else fail('WIRE_BAD_FRAME', `Unknown frame type ${type}`, frameAt)
  }

  function readPayload(chunk: Buffer, at: number): number {
    return type === frameTypes.body ? readBody(chunk, at) : readWhole(chunk, at)
  }

  function readBody(chunk: Buffer, at: number): number {
    const end = Math.min(at + remaining, chunk.length)
    if (end > at) {
      remaining -= end - at
      sink.body(channel, chunk.subarray(at, end))
    }
    return remaining === 0 && end < chunk.length ? closeFrame(chunk, end) : end
  }

  function readWhole(chunk: Buffer, at: number): number {
    const missing = remaining - heldBytes
    if (chunk.length - at <= missing) return hold(chunk, at, chunk.length, remaining)
    const payload =
      heldBytes === 0 ? chunk.subarray(at, at + missing) : takeHeld(chunk, at, at + missing, remaining)
    const next = closeFrame(chunk, at + missing)
    if (type === frameTypes.method) sink.method(channel, payload)
    else if (type === frameTypes.header) sink.header(channel, payload)
    else sink.heartbeat()
    return next
  }

  function closeFrame(chunk: Buffer, at: number): number {
    if (chunk[at] !== frameEnd)
      fail('WIRE_BAD_FRAME', `A frame ends with ${chunk[at]} instead of ${frameEnd}`, at)
    remaining = -1
    return at + 1
  }

  function hold(chunk: Buffer, at: number, end: number, wholeBytes: number): number {
    // A chunk is large and the piece may be tiny: a copy does not pin the chunk in memory.
    const needed = heldBytes + end - at
    if (needed > held.length) growHeld(needed, wholeBytes)
    chunk.copy(held, heldBytes, at, end)
    heldBytes = needed
    return end
  }

  /** A frame may announce more than ever comes, so room is made for at most twice what has come. */
  function growHeld(needed: number, wholeBytes: number): void {
    const grown = Buffer.allocUnsafe(Math.min(wholeBytes, Math.max(firstRoomBytes, needed, 2 * held.length)))
    held.copy(grown, 0, 0, heldBytes)
    held = grown
  }

  function takeHeld(chunk: Buffer, at: number, end: number, wholeBytes: number): Buffer {
    hold(chunk, at, end, wholeBytes)
    const whole = held.subarray(0, wholeBytes)
    release()
    return whole
  }

  function release(): void {
    held = noBytes
    heldBytes = 0
  }

  function check(isAllowed: boolean, kind: string, limit: number, at: number, oversized?: 'header'): void {
    if (isAllowed) return
    const detail = `A ${kind} frame announces ${remaining} bytes; the limit is ${limit}`
    throw new WireError({
      code: 'WIRE_TOO_LARGE',
      detail,
      offset: offset + at,
      ...(oversized && { oversized }),
    })
  }

  function fail(code: WireErrorCode, detail: string, at: number): never {
    throw new WireError({ code, detail, offset: offset + at })
  }

  return {
    push,
    setLimits: (next) => {
      limits = next
    },
    heldBytes() {
      return heldBytes
    },
  }
}
