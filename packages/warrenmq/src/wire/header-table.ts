import { WireError } from '../errors.ts'
import { type FieldTable, type FieldValue, fixedFieldSizes } from './field-value.ts'
import { decodeFieldValue } from './read-field.ts'
import { bytesOfText, readShortText } from './short-text.ts'
import { sizeOfTable, writeEntries } from './write-field.ts'

/** Reads one header out of an encoded table and decodes nothing else. */
export function findHeader(table: Buffer, name: string): FieldValue | undefined {
  const wanted = bytesOfText(name)
  for (let at = 0; at < table.length; ) {
    const valueAt = at + 1 + table[at]!
    const end = endOfValue(table, valueAt)
    if (wanted.compare(table, at + 1, valueAt) === 0) return decodeFieldValue(table.subarray(valueAt, end))
    at = end
  }
  return undefined
}

/** The names in an encoded table, in order, without decoding a value. */
export function headerNames(table: Buffer): readonly string[] {
  const names: string[] = []
  for (let at = 0; at < table.length; ) {
    const valueAt = at + 1 + table[at]!
    const end = endOfValue(table, valueAt)
    names.push(readShortText(table, at + 1, valueAt))
    at = end
  }
  return names
}

export interface TableEdit {
  /** Entries to add at the end; an entry of the same name is replaced. */
  readonly set?: FieldTable
  readonly remove?: (name: string) => boolean
}

/** Splices an encoded table: entries that are neither set nor removed stay byte-identical, in their order. */
export function editTable(table: Buffer, { set = [], remove }: TableEdit): Buffer {
  const spans = keptSpans(
    table,
    (name) => set.some((entry) => entry.name === name) || (remove?.(name) ?? false),
  )
  const keptSize = spans.reduce((size, [start, end]) => size + end - start, 0)
  const edited = Buffer.allocUnsafe(keptSize + sizeOfTable(set))
  let at = 0
  for (const [start, end] of spans) at += table.copy(edited, at, start, end)
  writeEntries(edited, at, set)
  return edited
}

/** Neighbours that are kept are joined, so an untouched table is one span. */
function keptSpans(
  table: Buffer,
  isDropped: (name: string) => boolean,
): readonly (readonly [number, number])[] {
  const spans: (readonly [number, number])[] = []
  let spanStart = 0
  let at = 0
  while (at < table.length) {
    const valueAt = at + 1 + table[at]!
    const end = endOfValue(table, valueAt)
    if (isDropped(readShortText(table, at + 1, valueAt))) {
      if (at > spanStart) spans.push([spanStart, at])
      spanStart = end
    }
    at = end
  }
  if (at > spanStart) spans.push([spanStart, at])
  return spans
}

const fixedSizes: ReadonlyMap<number, number> = new Map(
  Object.entries(fixedFieldSizes).map(([tag, size]) => [tag.charCodeAt(0), size]),
)
const sizedTags: ReadonlySet<number> = new Set(Buffer.from('SxAF'))

function endOfValue(table: Buffer, at: number): number {
  const tag = table[at]
  if (tag === undefined) throw truncated(table.length)
  const end = at + 1 + (fixedSizes.get(tag) ?? sizeOfSized(table, at, tag))
  if (end > table.length) throw truncated(at)
  return end
}

function sizeOfSized(table: Buffer, at: number, tag: number): number {
  if (!sizedTags.has(tag)) {
    throw new WireError({
      code: 'WIRE_UNKNOWN_TAG',
      detail: `Unknown field type ${JSON.stringify(String.fromCharCode(tag))}`,
      offset: at,
    })
  }
  if (at + 5 > table.length) throw truncated(at)
  return 4 + table.readUInt32BE(at + 1)
}

function truncated(at: number): WireError {
  return new WireError({
    code: 'WIRE_TRUNCATED',
    detail: 'A field table ends in the middle of an entry',
    offset: at,
  })
}
