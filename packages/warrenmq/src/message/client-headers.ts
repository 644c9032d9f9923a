import { decodeShownFieldValue } from '../wire/decode-table.ts'
import type { FieldEntry, FieldTable } from '../wire/field-value.ts'
import { endOfValue, isAt, valueOfEntry } from '../wire/name-matcher.ts'
import { readShortText } from '../wire/short-text.ts'
import type { EncodedHeaders } from './header-values.ts'

/** How the names of RabbitMQ's headers and of ours begin. */
const ofOthers = ['x-', 'warren-'].map((prefix) => Buffer.from(prefix))

/**
 * The headers that applications set. Those of RabbitMQ and Warren are passed over without being decoded.
 * @example
 * ```ts
 * const shown = toPlainTable(clientHeaders(headers))
 * ```
 */
export function clientHeaders(headers: EncodedHeaders): FieldTable {
  if (headers === undefined) return []
  const found: FieldEntry[] = []
  for (let at = 0; at < headers.length; ) {
    const valueAt = valueOfEntry(headers, at)
    const end = endOfValue(headers, valueAt)
    if (!ofOthers.some((prefix) => prefix.length <= headers[at]! && isAt(headers, at + 1, prefix)))
      found.push({
        name: readShortText(headers, at + 1, valueAt),
        value: decodeShownFieldValue(headers.subarray(valueAt, end)),
      })
    at = end
  }
  return found
}
