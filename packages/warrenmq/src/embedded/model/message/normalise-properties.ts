import { headerNames } from '../../../wire/edit-table.ts'
import type { FieldEntry, FieldTable } from '../../../wire/field-value.ts'
import {
  decodeProperties,
  encodeProperties,
  type RawProperties,
  readProperty,
} from '../../../wire/properties.ts'
import { decodeHeaders } from './decode-headers.ts'
import { compareAsBinaries, sortTable } from './terms.ts'

/**
 * What 4.x does to the properties of every message it delivers or returns: headers sorted by name, of a
 * repeated name only the first, and an expiration written as a plain number. 3.x passes the bytes on.
 */
export function normaliseProperties(properties: RawProperties): RawProperties {
  const headers = readProperty(properties, 'headers')
  const expiration = readProperty(properties, 'expiration')
  const isSorted = headers === undefined || isStrictlySorted(headerNames(headers))
  if (isSorted && (expiration === undefined || isPlainNumber(expiration))) return properties
  const decoded = decodeProperties(properties)
  return encodeProperties({
    ...decoded,
    headers: headers && firstOfEachName(sortTable(decodeHeaders(headers))),
    expiration: expiration === undefined ? undefined : String(Number(expiration)),
  })
}

function isStrictlySorted(names: readonly string[]): boolean {
  return names.every((name, at) => at === 0 || compareAsBinaries(names[at - 1]!, name) < 0)
}

function isPlainNumber(text: string): boolean {
  return text === String(Number(text))
}

function firstOfEachName(sorted: FieldTable): readonly FieldEntry[] {
  return sorted.filter((entry, at) => at === 0 || sorted[at - 1]!.name !== entry.name)
}
