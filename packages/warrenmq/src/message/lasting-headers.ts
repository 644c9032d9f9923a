import { endOfValue, valueOfEntry } from '../wire/name-matcher.ts'
import { decodeProperties, encodeProperties, type RawProperties, readProperty } from '../wire/properties.ts'
import { readShortText } from '../wire/short-text.ts'

const deliveryCounts: ReadonlySet<string> = new Set(['x-delivery-count', 'x-acquired-count'])

/** What a quorum queue writes into a message when it hands it out again. */
export function isDeliveryCount(name: string): boolean {
  return deliveryCounts.has(name)
}

/**
 * Headers as they stay from one delivery to the next: without the passing ones, and in an order of their own. A quorum
 * queue of RabbitMQ 3 sorts them by name when it writes its count among them, and RabbitMQ 4 sorts all that is published.
 * Neither looks into tables, and 3 leaves those of one name in their order, so both of these tell messages apart.
 */
export function lastingHeaders(
  headers: Buffer,
  isPassing: (name: string) => boolean = isDeliveryCount,
): Buffer {
  const entries: { readonly name: Buffer; readonly bytes: Buffer }[] = []
  for (let at = 0; at < headers.length; ) {
    const valueAt = valueOfEntry(headers, at)
    const end = endOfValue(headers, valueAt)
    if (!isPassing(readShortText(headers, at + 1, valueAt))) {
      entries.push({ name: headers.subarray(at + 1, valueAt), bytes: headers.subarray(at, end) })
    }
    at = end
  }
  entries.sort((one, other) => one.name.compare(other.name))
  return Buffer.concat(entries.map(({ bytes }) => bytes))
}

/** Properties with lasting headers. A table in which nothing lasts was made for what passes, and goes with it. */
export function lastingProperties(raw: RawProperties, isPassing?: (name: string) => boolean): RawProperties {
  const headers = readProperty(raw, 'headers')
  if (headers === undefined) return raw
  const lasting = lastingHeaders(headers, isPassing)
  return encodeProperties({ ...decodeProperties(raw), headers: lasting.length === 0 ? undefined : lasting })
}
