import { WireError } from '../errors.ts'
import { readUint32 } from './name-matcher.ts'
import { type PropertyName, propertyKinds, type RawProperties, type ValueOfKind } from './property-kinds.ts'

const sizeOfKind: Readonly<Record<keyof ValueOfKind, number>> = { octet: 1, time: 8, text: 0, table: 0 }
export const propertyNames: readonly PropertyName[] = Object.keys(propertyKinds) as PropertyName[]
export const indexOfProperty: Readonly<Record<PropertyName, number>> = Object.fromEntries(
  propertyNames.map((name, index) => [name, index]),
) as Record<PropertyName, number>

/** Bytes of a property; 0 where its first bytes say how many. As numbers, because they are asked for in every message. */
const fixedSizes = Uint8Array.from(propertyNames, (name) => sizeOfKind[propertyKinds[name]])
const propertyCount = propertyNames.length
const headersIndex = indexOfProperty.headers
const highestFlag = 0x8000
const unusedBits = 16

/**
 * Where each property begins, in the order of the flags, and where the last one ends. Each ends where the next
 * begins; one that is not set takes no bytes.
 */
export type PropertyPlaces = readonly number[]

/** Finds the places of all properties and decodes none. */
export function locateProperties(raw: RawProperties): PropertyPlaces {
  const flags = readFlags(raw)
  const places = new Array<number>(propertyCount + 1)
  let at = 2
  for (let index = 0; index < propertyCount; index += 1) {
    places[index] = at
    if (flags & (highestFlag >> index)) at = endOf(raw, index, at)
  }
  if (at !== raw.length) throw wireError('WIRE_TRAILING_BYTES', 'Bytes follow the last property', at)
  places[propertyCount] = at
  return places
}

/** Where the value of a property begins; -1 where it is not set. Asked for every message, so it makes nothing. */
export function startOf(raw: RawProperties, wanted: number): number {
  const flags = readFlags(raw)
  const flag = highestFlag >> wanted
  if (!(flags & flag)) return -1
  let at = 2
  // From one flag that is set to the next.
  for (let left = flags & (-flag << 1); left !== 0; ) {
    const index = Math.clz32(left) - unusedBits
    at = endOf(raw, index, at)
    left &= ~(highestFlag >> index)
  }
  return at
}

/** Whether a property is set; the cheapest question of all. */
export function hasProperty(raw: RawProperties, name: PropertyName): boolean {
  return (readFlags(raw) & (highestFlag >> indexOfProperty[name])) !== 0
}

/** Where a property stands; undefined where it is not set. */
export function placeOf(
  raw: RawProperties,
  name: PropertyName,
): { readonly start: number; readonly end: number } | undefined {
  const index = indexOfProperty[name]
  const start = startOf(raw, index)
  return start < 0 ? undefined : { start, end: endOf(raw, index, start) }
}

export function endOf(raw: RawProperties, index: number, at: number): number {
  const end = at + sizeAt(raw, index, at)
  if (end > raw.length)
    throw wireError('WIRE_TRUNCATED', `The property ${propertyNames[index]} ends behind the last byte`, at)
  return end
}

/** A table of headers, with its length in front, that is written straight into its place. */
export interface WrittenTable {
  readonly length: number
  /** Gives the offset behind it. */
  write(bytes: Buffer, at: number): number
}

export interface Splice {
  /** Per property, as it stands on the wire, what takes its place: no bytes take it away, undefined leaves it. */
  readonly values: readonly (Buffer | undefined)[]
  readonly headers?: WrittenTable
}

/** Properties with some of them replaced; all others are copied byte for byte. */
export function spliceProperties(
  raw: RawProperties,
  places: PropertyPlaces,
  { values, headers }: Splice,
): RawProperties {
  let flags = (raw[0]! << 8) | raw[1]!
  let size = raw.length
  let first = propertyCount
  let last = -1
  for (let index = 0; index < propertyCount; index += 1) {
    const value = index === headersIndex && headers ? headers : values[index]
    if (value === undefined) continue
    if (last < 0) first = index
    last = index
    const flag = highestFlag >> index
    flags = value.length > 0 ? flags | flag : flags & ~flag
    size += value.length - (places[index + 1]! - places[index]!)
  }
  const bytes = Buffer.allocUnsafe(size)
  copyEnds(raw, bytes, { start: places[first]!, end: places[last + 1]! })
  bytes[0] = flags >>> 8
  bytes[1] = flags
  let at = places[first]!
  let copiedTo = at
  for (let index = first; index <= last; index += 1) {
    const value = values[index]
    const isWritten = index === headersIndex && headers !== undefined
    if (value === undefined && !isWritten) continue
    at = copySpan(raw, copiedTo, places[index]!, bytes, at)
    at = isWritten ? headers.write(bytes, at) : copySpan(value!, 0, value!.length, bytes, at)
    copiedTo = places[index + 1]!
  }
  return bytes
}

/**
 * Copies what stands before `start` and what follows `end` to the beginning and to the end of the new bytes. If there
 * is room for it, all is copied to both: what is too much is written over, and that costs less than a loop.
 */
function copyEnds(raw: Buffer, bytes: Buffer, { start, end }: { start: number; end: number }): void {
  const added = bytes.length - raw.length
  if (added >= start) {
    bytes.set(raw)
    bytes.set(raw, added)
    return
  }
  copySpan(raw, 0, start, bytes, 0)
  copySpan(raw, end, raw.length, bytes, added + end)
}

const shortSpan = 128

/** Copies bytes and gives the offset behind them. A call into the engine costs more than a short span itself. */
export function copySpan(from: Buffer, start: number, end: number, to: Buffer, at: number): number {
  if (end - start > shortSpan) return at + from.copy(to, at, start, end)
  for (let index = start; index < end; index += 1) to[at + index - start] = from[index]!
  return at + end - start
}

export function writeUint32(bytes: Buffer, at: number, value: number): number {
  bytes[at] = value >>> 24
  bytes[at + 1] = value >>> 16
  bytes[at + 2] = value >>> 8
  bytes[at + 3] = value
  return at + 4
}

function readFlags(raw: RawProperties): number {
  if (raw.length < 2) throw wireError('WIRE_TRUNCATED', 'Properties are shorter than their flags', 0)
  const flags = (raw[0]! << 8) | raw[1]!
  // The two low bits belong to no property of class basic; RabbitMQ refuses them too.
  if (flags & 3) throw wireError('WIRE_BAD_VALUE', 'Property flags name an unknown property', 0)
  return flags
}

function sizeAt(raw: RawProperties, index: number, at: number): number {
  const fixed = fixedSizes[index]!
  if (fixed > 0) return fixed
  if (index !== headersIndex) return 1 + (raw[at] ?? 0)
  return at + 4 > raw.length ? 4 : 4 + readUint32(raw, at)
}

function wireError(
  code: 'WIRE_TRUNCATED' | 'WIRE_TRAILING_BYTES' | 'WIRE_BAD_VALUE',
  detail: string,
  offset: number,
): WireError {
  return new WireError({ code, detail, offset })
}
