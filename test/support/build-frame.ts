import { frameEnd } from '../../packages/warrenmq/src/wire/frame-parser.ts'

export interface FrameFields {
  /** 1 method, 2 header, 3 body, 8 heartbeat; others are illegal. */
  readonly type: number
  readonly channel: number
  readonly payload: Buffer
}

/** A frame byte by byte, for what the writer of the product would not write. */
export function buildFrame({ type, channel, payload }: FrameFields): Buffer {
  const start = Buffer.alloc(7)
  start.writeUInt8(type, 0)
  start.writeUInt16BE(channel, 1)
  start.writeUInt32BE(payload.length, 3)
  return Buffer.concat([start, payload, Buffer.from([frameEnd])])
}
