import { decodeTable } from '../wire/decode-table.ts'
import { editTable, headerNames } from '../wire/edit-table.ts'
import { encodeTable } from '../wire/encode-table.ts'
import type { FieldEntry, FieldTable } from '../wire/field-value.ts'
import { type PropertiesEdit, type RawProperties, readProperty } from '../wire/properties.ts'
import { type EncodedHeaders, headerValue } from './header-values.ts'
import { warrenHeaders } from './warren-headers.ts'

/**
 * What a broker writes into a message and would believe, obey or refuse when a client sends it back: a death
 * history (cut as a cycle), counters, a stream offset, and extra routes.
 */
export const brokerHeaders: { readonly names: readonly string[]; readonly prefixes: readonly string[] } = {
  names: ['x-death', 'x-delivery-count', 'x-acquired-count', 'x-stream-offset', 'CC', 'BCC'],
  prefixes: ['x-first-death-', 'x-last-death-'],
}

export function isBrokerHeader(name: string): boolean {
  return (
    brokerHeaders.names.includes(name) || brokerHeaders.prefixes.some((prefix) => name.startsWith(prefix))
  )
}

export interface StripOptions {
  /** The user that publishes: a `user-id` equal to it may stay, any other closes the channel. */
  readonly login?: string | undefined
  /** Headers to leave where they are, such as `x-death` in a DLQ that is to show it. */
  readonly keep?: readonly string[]
}

/**
 * What to take off a message before a client publishes it again, as an edit for `editProperties`. What is
 * taken off is archived in one header of ours, with its types; the message becomes persistent.
 */
export function stripBrokerHeaders(
  raw: RawProperties,
  { login, keep = [] }: StripOptions = {},
): PropertiesEdit {
  const headers = readProperty(raw, 'headers')
  const isStripped = (name: string) => isBrokerHeader(name) && !keep.includes(name)
  const properties = strippedProperties(raw, login)
  const archived = archiveOf(headers, { isStripped, properties: properties.map(({ entry }) => entry) })
  return {
    set: { deliveryMode: 2 },
    remove: properties.map(({ name }) => name),
    headers: { remove: isStripped, set: archived.length === 0 ? [] : [archiveEntry(archived)] },
  }
}

/** What earlier strips took off, under the names it had; properties are `expiration` and `user-id`. */
export function readStripped(headers: EncodedHeaders): FieldTable {
  const archived = headerValue(headers, warrenHeaders.stripped)
  return archived?.type === 'F' ? archived.value : []
}

function strippedProperties(
  raw: RawProperties,
  login: string | undefined,
): readonly { name: 'expiration' | 'userId'; entry: FieldEntry }[] {
  const expiration = readProperty(raw, 'expiration')
  const userId = readProperty(raw, 'userId')
  return [
    ...(expiration === undefined
      ? []
      : [{ name: 'expiration' as const, entry: text('expiration', expiration) }]),
    ...(userId === undefined || userId === login
      ? []
      : [{ name: 'userId' as const, entry: text('user-id', userId) }]),
  ]
}

function text(name: string, value: string): FieldEntry {
  return { name, value: { type: 'S', value } }
}

/** The encoded table of everything that goes, spliced and not decoded: a re-drive does this for each message. */
function archiveOf(
  headers: EncodedHeaders,
  going: { isStripped: (name: string) => boolean; properties: FieldTable },
): Buffer {
  const set = going.properties
  const taken = editTable(headers ?? noBytes, { remove: (name) => !going.isStripped(name), set })
  if (taken.length === 0) return taken
  // A message may go round many times; per name the newest is kept, so the archive cannot grow without end.
  const names = new Set(headerNames(taken))
  const older = readStripped(headers).filter(({ name }) => !names.has(name))
  return older.length === 0 ? taken : Buffer.concat([encodeTable(older), taken])
}

const noBytes = Buffer.alloc(0)

function archiveEntry(archived: Buffer): FieldEntry {
  const raw = Buffer.allocUnsafe(5 + archived.length)
  raw.write('F', 0, 'latin1')
  raw.writeUInt32BE(archived.length, 1)
  archived.copy(raw, 5)
  const value = {
    type: 'F' as const,
    raw,
    get value() {
      return decodeTable(archived)
    },
  }
  return { name: warrenHeaders.stripped, value }
}
