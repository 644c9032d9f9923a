/** What the proxy must know of a frame. It reads the bytes by itself, not with the code under test. */
export interface SeenFrame {
  /** 1 method, 2 content header, 3 body, 8 heartbeat. */
  readonly frameType: number
  readonly channel: number
  /** Of methods, and of content headers. */
  readonly classId: number | undefined
  /** Of methods. */
  readonly methodId: number | undefined
}

/** Bytes that are passed on together: a whole frame, or raw bytes with no frame around them. */
export interface Piece {
  readonly bytes: Buffer
  readonly frame: SeenFrame | undefined
}

const headerBytes = 7
const endOctet = 0xce

/**
 * Cuts one direction of a connection into frames. A stream that begins like neither AMQP nor a frame is not
 * ours to read (TLS): it passes as it comes.
 */
export function createFrameSplitter(): (chunk: Buffer) => Piece[] {
  let pending: Buffer = Buffer.alloc(0)
  let isRaw = false
  let isAtStart = true

  function takeNext(): Piece | undefined {
    if (pending.length === 0) return undefined
    if (isRaw) return take(pending.length)
    if (isAtStart && pending[0] === 0x41) return takeProtocolHeader()
    if (isAtStart && pending[0] !== 1) isRaw = true
    isAtStart = false
    return isRaw ? take(pending.length) : takeFrame()
  }

  function takeProtocolHeader(): Piece | undefined {
    if (pending.length < 8) return undefined
    isAtStart = false
    return take(8)
  }

  function takeFrame(): Piece | undefined {
    if (pending.length < headerBytes) return undefined
    const sizeBytes = headerBytes + pending.readUInt32BE(3) + 1
    if (pending.length < sizeBytes) return undefined
    if (pending[sizeBytes - 1] !== endOctet) isRaw = true
    return isRaw ? take(pending.length) : take(sizeBytes, readFrame(pending))
  }

  function take(sizeBytes: number, frame?: SeenFrame): Piece {
    const bytes = pending.subarray(0, sizeBytes)
    pending = pending.subarray(sizeBytes)
    return { bytes, frame }
  }

  return (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
    const pieces: Piece[] = []
    for (let piece = takeNext(); piece; piece = takeNext()) pieces.push(piece)
    return pieces
  }
}

function readFrame(bytes: Buffer): SeenFrame {
  const frameType = bytes.readUInt8(0)
  const hasClass = frameType === 1 || frameType === 2
  return {
    frameType,
    channel: bytes.readUInt16BE(1),
    classId: hasClass ? bytes.readUInt16BE(headerBytes) : undefined,
    methodId: frameType === 1 ? bytes.readUInt16BE(headerBytes + 2) : undefined,
  }
}
