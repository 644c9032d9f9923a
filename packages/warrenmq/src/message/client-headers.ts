import { decodeShownFieldValue } from '../wire/decode-table.ts'
import type { FieldEntry, FieldTable } from '../wire/field-value.ts'
import { endOfValue, valueOfEntry } from '../wire/name-matcher.ts'
import { readShortText } from '../wire/short-text.ts'
import type { EncodedHeaders } from './header-values.ts'

/** The headers that applications set. Those of RabbitMQ and Warren are passed over without being decoded. */
export function clientHeaders(headers: EncodedHeaders): FieldTable {
  if (headers === undefined) return []
  const found: FieldEntry[] = []
  for (let at = 0; at < headers.length; ) {
    const valueAt = valueOfEntry(headers, at)
    const end = endOfValue(headers, valueAt)
    const name = readShortText(headers, at + 1, valueAt)
    if (!name.startsWith('x-') && !name.startsWith('warren-'))
      found.push({ name, value: decodeShownFieldValue(headers.subarray(valueAt, end)) })
    at = end
  }
  return found
}
