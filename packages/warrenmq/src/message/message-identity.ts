import type { FieldEntry, FieldValue } from '../wire/field-value.ts'
import { decodeProperties, type Properties, type RawProperties } from '../wire/properties.ts'
import { decodeTable } from '../wire/read-field.ts'

/**
 * Turns bytes into a short text, such as a SHA-256. It comes from the caller, because this folder is pure and
 * because no home-made hash will do: whoever can make two messages share an id can make one of them vanish in
 * a restore or a receipt.
 */
export type Digest = (parts: Iterable<Uint8Array>) => string

export interface MessageIdentity {
  readonly id: string
  /**
   * `message-id`: the publisher named the message. `digest`: computed from its content, so two messages of
   * equal content share it, and equal ids do not prove that one is a copy of the other.
   */
  readonly source: 'message-id' | 'digest'
}

/**
 * An id that stays the same through dead-lettering, retries and re-drives: the `message-id` property, else a
 * digest over what those leave alone.
 */
export function messageIdentity(
  message: { readonly properties: RawProperties; readonly body: Uint8Array },
  digest: Digest,
): MessageIdentity {
  const properties = decodeProperties(message.properties)
  if (properties.messageId) return { id: properties.messageId, source: 'message-id' }
  const description = Buffer.from(JSON.stringify(stableContent(properties)))
  // The length keeps apart a body that begins as another's description ends.
  const length = Buffer.from(`${description.length}:`)
  return { id: digest([length, description, message.body]), source: 'digest' }
}

const stableProperties = [
  'contentType',
  'contentEncoding',
  'correlationId',
  'replyTo',
  'timestamp',
  'type',
  'appId',
  'clusterId',
] as const

function stableContent(properties: Properties): readonly unknown[] {
  const headers = properties.headers ? decodeTable(properties.headers) : []
  return [
    stableProperties.map((name) => properties[name]?.toString() ?? null),
    headers.filter(isStableHeader).toSorted(byName).map(canonicalEntry),
  ]
}

// Brokers, retries and re-drives write x- headers, CC and ours; publishers seldom tell messages apart by them.
function isStableHeader({ name }: FieldEntry): boolean {
  return !/^(x-|warren-)/i.test(name) && name !== 'CC' && name !== 'BCC'
}

function byName(left: FieldEntry, right: FieldEntry): number {
  if (left.name === right.name) return 0
  return left.name < right.name ? -1 : 1
}

function canonicalEntry({ name, value }: FieldEntry): readonly unknown[] {
  return [name, canonicalValue(value)]
}

/**
 * The meaning of a value without its width. Other tools that move messages change int64 to int32 and the like;
 * that must not change who the message is.
 */
function canonicalValue(value: FieldValue): unknown {
  switch (value.type) {
    case 't':
    case 'V':
      return value.value
    case 'A':
      return { list: value.value.map(canonicalValue) }
    case 'F':
      return { table: value.value.toSorted(byName).map(canonicalEntry) }
    case 'D':
      return { decimal: [value.value.scale, value.value.unscaled] }
    case 'S':
    case 'x':
      return { bytes: Buffer.from(value.value as string).toString('base64') }
    default:
      return { number: String(value.value) }
  }
}
