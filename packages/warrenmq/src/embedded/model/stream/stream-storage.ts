import type { FieldEntry, FieldTable } from '../../../wire/field-value.ts'
import { decodeProperties, encodeProperties, type RawProperties } from '../../../wire/properties.ts'
import { decodeHeaders, isNested } from '../message/decode-headers.ts'
import { setSorted } from '../message/terms.ts'

/** What is left of the headers of a message that a stream has stored, and of its delivery mode. */
export interface StreamStorage {
  readonly setsDeliveryMode: boolean
  keepHeader(header: FieldEntry): FieldEntry | undefined
}

/** 3.x stores messages in the format of AMQP 1.0, and no header that holds other values. */
export const storedBefore40: StreamStorage = {
  setsDeliveryMode: false,
  keepHeader: (header) => (isNested(header) ? undefined : header),
}

/** 4.x keeps nested values where the name makes the header an annotation, and takes bytes for text. */
export const storedFrom40: StreamStorage = {
  setsDeliveryMode: true,
  keepHeader: (header) => {
    const { name, value } = header
    if (isNested(header) && !name.startsWith('x-') && name !== 'CC') return undefined
    return value.type === 'x' ? { name, value: { type: 'S', value: value.value } } : header
  },
}

/** The properties of a message as a reader of a stream gets them. */
export function readFromStream(raw: RawProperties, offset: number, storage: StreamStorage): RawProperties {
  // The format of AMQP 1.0 has a place for every property but this one.
  const { clusterId: _, ...properties } = decodeProperties(raw)
  const headers = properties.headers ? decodeHeaders(properties.headers) : []
  const kept: FieldTable = headers.flatMap((header) => storage.keepHeader(header) ?? [])
  const deliveryMode = properties.deliveryMode ?? (storage.setsDeliveryMode ? 1 : undefined)
  const position: FieldEntry = { name: 'x-stream-offset', value: { type: 'l', value: BigInt(offset) } }
  return encodeProperties({ ...properties, deliveryMode, headers: setSorted(kept, [position]) })
}
