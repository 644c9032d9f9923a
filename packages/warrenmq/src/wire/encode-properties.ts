import { InvalidArgumentError } from '../errors.ts'
import { encodeTable } from './encode-table.ts'
import type { PropertiesInput, RawProperties } from './property-kinds.ts'
import { sizeOfShortText, writeShortText } from './short-text.ts'

/**
 * Encodes the properties of a message. Every publish comes by here, so they are written one after the
 * other into one scratch buffer and copied out once.
 * @example
 * ```ts
 * const properties = encodeProperties({ messageId: 'order-42', type: 'OrderPlaced' })
 * ```
 */
export function encodeProperties(input: PropertiesInput): RawProperties {
  flags = 0
  at = 2
  putText(0x8000, 'contentType', input.contentType)
  putText(0x4000, 'contentEncoding', input.contentEncoding)
  if (input.headers !== undefined)
    putTable(Buffer.isBuffer(input.headers) ? input.headers : encodeTable(input.headers))
  putOctet(0x1000, 'deliveryMode', input.deliveryMode)
  putOctet(0x0800, 'priority', input.priority)
  putText(0x0400, 'correlationId', input.correlationId)
  putText(0x0200, 'replyTo', input.replyTo)
  putText(0x0100, 'expiration', input.expiration)
  putText(0x0080, 'messageId', input.messageId)
  putTime(0x0040, 'timestamp', input.timestamp)
  putText(0x0020, 'type', input.type)
  putText(0x0010, 'userId', input.userId)
  putText(0x0008, 'appId', input.appId)
  putText(0x0004, 'clusterId', input.clusterId)
  scratch.writeUInt16BE(flags, 0)
  const raw = Buffer.allocUnsafe(at)
  scratch.copy(raw, 0, 0, at)
  if (scratch.length > maxKept) scratch = Buffer.allocUnsafeSlow(withoutTable)
  return raw
}

/** All texts at their longest, the numbers and the flags. A table makes it grow. */
const withoutTable = 4096
/** One message with huge headers does not hold their memory for ever. */
const maxKept = 256 * 1024

let scratch: Buffer = Buffer.allocUnsafeSlow(withoutTable)
let flags = 0
let at = 2

function putText(flag: number, name: string, value: string | undefined): void {
  if (value === undefined) return
  if (typeof value !== 'string') throw refuse(name, value, 'text')
  flags |= flag
  at = writeAscii(value) ?? writeAnyText(name, value)
}

/** Identifiers are short and plain: a loop over their letters is quicker than a call into native code. */
function writeAscii(value: string): number | undefined {
  const { length } = value
  if (length > 64) return undefined
  for (let index = 0; index < length; index += 1) {
    const code = value.charCodeAt(index)
    if (code > 0x7f) return undefined
    scratch[at + 1 + index] = code
  }
  scratch[at] = length
  return at + 1 + length
}

function writeAnyText(name: string, value: string): number {
  sizeOfShortText(`The property ${name}`, value)
  return writeShortText(scratch, at, value)
}

function putTable(table: Buffer): void {
  flags |= 0x2000
  const needed = withoutTable + table.length
  if (scratch.length < needed) {
    const larger = Buffer.allocUnsafeSlow(needed)
    scratch.copy(larger, 0, 0, at)
    scratch = larger
  }
  scratch.writeUInt32BE(table.length, at)
  at += 4 + table.copy(scratch, at + 4)
}

function putOctet(flag: number, name: string, value: number | undefined): void {
  if (value === undefined) return
  if (!(Number.isInteger(value) && value >= 0 && value <= 255))
    throw refuse(name, value, 'a whole number from 0 to 255')
  flags |= flag
  scratch[at] = value
  at += 1
}

const lastTime = Buffer.alloc(8)
let lastTimeValue = 0n

/** Messages come in thousands per second and the time is in seconds, so it is hardly ever a new one. */
function putTime(flag: number, name: string, value: bigint | undefined): void {
  if (value === undefined) return
  if (value !== lastTimeValue) {
    if (!(typeof value === 'bigint' && value >= 0n && value <= 0xffffffffffffffffn)) {
      throw refuse(name, value, 'seconds since 1970 as a bigint')
    }
    lastTime.writeBigUInt64BE(value, 0)
    lastTimeValue = value
  }
  flags |= flag
  for (let index = 0; index < 8; index += 1) scratch[at + index] = lastTime[index]!
  at += 8
}

function refuse(name: string, value: unknown, wanted: string): InvalidArgumentError {
  return new InvalidArgumentError(`The property ${name} is ${String(value)}; it must be ${wanted}.`)
}
