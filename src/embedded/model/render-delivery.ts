import type { FieldTable } from '../../wire/field-value.ts'
import { decodeProperties, encodeProperties, type RawProperties } from '../../wire/properties.ts'
import { decodeTable } from '../../wire/read-field.ts'
import { setSorted } from './field-terms.ts'

/** Adds counts to the headers of a message that is about to be delivered; none leaves it as it is. */
export function renderCounts(
  properties: RawProperties,
  counts: Readonly<Record<string, number | undefined>>,
): RawProperties {
  const shown = Object.entries(counts).filter((entry): entry is [string, number] => entry[1] !== undefined)
  if (shown.length === 0) return properties
  const decoded = decodeProperties(properties)
  const headers = decoded.headers ? decodeTable(decoded.headers) : []
  return encodeProperties({
    ...decoded,
    headers: shown.reduce<FieldTable>(
      (table, [name, count]) => setSorted(table, name, { type: 'l', value: BigInt(count) }),
      headers,
    ),
  })
}
