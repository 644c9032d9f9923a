import { decodeProperties, encodeProperties, type RawProperties } from '../../../wire/properties.ts'
import { decodeHeaders } from '../message/decode-headers.ts'
import { setSorted } from '../message/terms.ts'

/** Adds counts to the headers of a message that is about to be delivered; none leaves it as it is. */
export function renderCounts(
  properties: RawProperties,
  counts: Readonly<Record<string, number | undefined>>,
): RawProperties {
  const shown = Object.entries(counts).filter((entry): entry is [string, number] => entry[1] !== undefined)
  if (shown.length === 0) return properties
  const decoded = decodeProperties(properties)
  const headers = decoded.headers ? decodeHeaders(decoded.headers) : []
  const values = shown.map(([name, count]) => ({ name, value: { type: 'l', value: BigInt(count) } as const }))
  return encodeProperties({ ...decoded, headers: setSorted(headers, values) })
}
