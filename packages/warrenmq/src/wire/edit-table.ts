import { decodeFieldValue } from './decode-table.ts'
import { sizeOfTable, writeEntries } from './encode-table.ts'
import type { FieldTable, FieldValue } from './field-value.ts'
import { encodeName, endOfValue, findValue, valueOfEntry } from './name-matcher.ts'
import { readShortText } from './short-text.ts'

/** Reads one header out of an encoded table and decodes nothing else. */
export function findHeader(table: Buffer, name: string): FieldValue | undefined {
  const at = findValue(table, encodeName(name))
  return at < 0 ? undefined : decodeFieldValue(table.subarray(at, endOfValue(table, at)))
}

/** The names in an encoded table, in order, without decoding a value. */
export function headerNames(table: Buffer): readonly string[] {
  const names: string[] = []
  for (let at = 0; at < table.length; ) {
    const valueAt = valueOfEntry(table, at)
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
    const valueAt = valueOfEntry(table, at)
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
