import { decodeTable } from '../wire/decode-table.ts'
import type { FieldEntry, FieldTable } from '../wire/field-value.ts'
import { endOfValue, valueOfEntry } from '../wire/name-matcher.ts'
import { type PropertiesEdit, type RawProperties, readProperty } from '../wire/properties.ts'
import { bytesOfText } from '../wire/short-text.ts'
import {
  archiveOf,
  fates,
  type HeaderArchive,
  nameOf,
  sizeOfArchive,
  writeArchive,
} from './header-archive.ts'
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
  const table = readProperty(raw, 'headers') ?? noBytes
  const isStripped = (name: string) => isBrokerHeader(name) && !keep.includes(name)
  const expiration = readProperty(raw, 'expiration')
  const userId = readProperty(raw, 'userId')
  const foreignUser = userId === login ? undefined : userId
  const archive = archiveOf({
    table,
    marks: markLeaving(table, isStripped),
    expiration: expiration === undefined ? undefined : bytesOfText(expiration),
    userId: foreignUser === undefined ? undefined : bytesOfText(foreignUser),
  })
  return {
    set: { deliveryMode: 2 },
    remove: [
      ...(expiration === undefined ? [] : ['expiration' as const]),
      ...(foreignUser === undefined ? [] : ['userId' as const]),
    ],
    headers: { remove: isStripped, set: archive ? [entryOf(archive, table)] : [] },
  }
}

const noBytes = Buffer.alloc(0)

function markLeaving(table: Buffer, isStripped: (name: string) => boolean): readonly number[] {
  const marks: number[] = []
  for (let at = 0; at < table.length; ) {
    const end = endOfValue(table, valueOfEntry(table, at))
    const name = nameOf(table, at)
    if (isStripped(name)) marks.push(at, end, fates.strip)
    else if (name === warrenHeaders.stripped) marks.push(at, end, fates.archive)
    at = end
  }
  return marks
}

function entryOf(archive: HeaderArchive, table: Buffer): FieldEntry {
  const bytes = Buffer.allocUnsafe(sizeOfArchive(archive))
  writeArchive(bytes, 0, { archive, table })
  return { name: warrenHeaders.stripped, value: new ArchiveField(bytes.subarray(valueOfEntry(bytes, 0))) }
}

/** Its bytes are sent as they are; hardly anybody asks for the value. There is one for each message that moves. */
class ArchiveField {
  readonly type = 'F'
  readonly raw: Buffer

  constructor(raw: Buffer) {
    this.raw = raw
  }

  get value(): FieldTable {
    return decodeTable(this.raw.subarray(5))
  }
}

/** What earlier strips took off, under the names it had; properties are `expiration` and `user-id`. */
export function readStripped(headers: EncodedHeaders): FieldTable {
  const archived = headerValue(headers, warrenHeaders.stripped)
  return archived?.type === 'F' ? archived.value : []
}
