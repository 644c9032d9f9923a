import { frameEnd, frameTypes } from '../../../packages/warrenmq/src/wire/frame-parser.ts'
import type { Method } from '../../../packages/warrenmq/src/wire/method-specs.ts'
import { encodeMethod } from '../../../packages/warrenmq/src/wire/methods.ts'

/** A frame as any peer could write it, with a length and an end that need not be true. */
export function frame(
  type: keyof typeof frameTypes | number,
  payload: Buffer,
  { channel = 1, length = payload.length, end = frameEnd }: FrameLies = {},
): Buffer {
  const head = Buffer.alloc(7)
  head.writeUInt8(typeof type === 'number' ? type : frameTypes[type], 0)
  head.writeUInt16BE(channel, 1)
  head.writeUInt32BE(length, 3)
  return Buffer.concat([head, payload, Buffer.from([end])])
}

interface FrameLies {
  readonly channel?: number
  readonly length?: number
  readonly end?: number
}

export function methodFrame(method: Method, lies?: FrameLies): Buffer {
  return frame('method', encodeMethod(method), lies)
}

/** A header frame for a message of so many bytes with these properties. */
export function headerFrame(bodyBytes: number, properties: Buffer = Buffer.from([0, 0])): Buffer {
  const fixed = Buffer.alloc(12)
  fixed.writeUInt16BE(60, 0)
  fixed.writeBigUInt64BE(BigInt(bodyBytes), 4)
  return frame('header', Buffer.concat([fixed, properties]))
}

/** Properties with one thing set: a table of headers of this content. */
export function headersOnly(table: Buffer, length: number = table.length): Buffer {
  const head = Buffer.alloc(6)
  head.writeUInt16BE(0x2000, 0)
  head.writeUInt32BE(length, 2)
  return Buffer.concat([head, table])
}

/** A table in a table in a table, so many deep; built inside out, so that no stack is needed to make it. */
export function nestedTable(depth: number): Buffer {
  let content = Buffer.alloc(0)
  for (let level = 0; level < depth; level += 1) {
    const head = Buffer.from([1, 0x61, 0x46, 0, 0, 0, 0]) // "a", a table, its length
    head.writeUInt32BE(content.length, 3)
    content = Buffer.concat([head, content])
  }
  return content
}
