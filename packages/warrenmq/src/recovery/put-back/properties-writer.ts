import type { BrokerVersion } from '../../message/broker-version.ts'
import { countAttempts } from '../../message/count-attempts.ts'
import { stripBrokerHeaders } from '../../message/strip-broker-headers.ts'
import type { QueueFlow } from '../../topology/queue-flow.ts'
import { encodeTable } from '../../wire/encode-table.ts'
import type { FieldEntry } from '../../wire/field-value.ts'
import { editProperties, type RawProperties, readProperty } from '../../wire/properties.ts'
import { keepAddress } from './keep-address.ts'
import { recoveryHeaders } from './recovery-headers.ts'
import { createSplicer, type Splicer } from './splicer.ts'

/** Who puts messages back, and why. The same for all messages of one re-drive. */
export interface Audit {
  readonly id: string
  readonly by: string
  readonly atMs: number
  readonly reason: string | undefined
}

export interface RedriveEdit {
  readonly audit: Audit
  readonly attempts: 'reset' | 'continue'
  readonly login: string | undefined
  readonly version: BrokerVersion
}

export type WriteProperties = (properties: RawProperties, flow: QueueFlow | undefined) => RawProperties

/**
 * Makes the properties of messages that are put back: their own bytes, without what a broker would believe or obey
 * (kept in one header of ours), plus who put them back and where they were first published.
 */
export function propertiesWriter(edit: RedriveEdit): WriteProperties {
  const audit = encodeTable(auditEntries(edit.audit))
  const { attempts, login } = edit
  const splicers = {
    adding: new Map<string | undefined, Splicer>(),
    replacing: new Map<string | undefined, Splicer>(),
  }
  const splicerFor = (attemptsHeader: string | undefined, isReplacing: boolean): Splicer => {
    const known = isReplacing ? splicers.replacing : splicers.adding
    let splicer = known.get(attemptsHeader)
    if (splicer) return splicer
    splicer = createSplicer({ audit, attempts, attemptsHeader, login, replacesAddress: isReplacing })
    known.set(attemptsHeader, splicer)
    return splicer
  }
  return (properties, flow) => {
    const headers = readProperty(properties, 'headers')
    const { entries: address, isReplacing } = headers === undefined ? nothingKept : keepAddress(headers)
    const splice = splicerFor(flow?.headers.attempts, isReplacing)
    if (edit.attempts === 'reset' || !flow) return splice(properties, address)
    // The broker's count ends with the strip, so a count that continues is written into the layout's header.
    const value = countAttempts({ headers, rule: flow.attempts, version: edit.version })
    const count = encodeTable([{ name: flow.headers.attempts, value: { type: 'I', value } }])
    return splice(properties, address.length === 0 ? count : Buffer.concat([count, address]))
  }
}

const nothingKept = { entries: Buffer.alloc(0), isReplacing: false }

function auditEntries({ id, by, atMs, reason }: Audit): readonly FieldEntry[] {
  return [
    text(recoveryHeaders.redrivenAt, new Date(atMs).toISOString()),
    text(recoveryHeaders.redrivenBy, by),
    text(recoveryHeaders.redriveId, id),
    ...(reason === undefined ? [] : [text(recoveryHeaders.redriveReason, reason)]),
  ]
}

/**
 * The properties of a message that is put at the end of its own queue because giving it back would delete it.
 * Its death history stays readable; only what counts or routes is taken off.
 */
export function refreshedProperties(properties: RawProperties, login: string | undefined): RawProperties {
  return editProperties(properties, stripBrokerHeaders(properties, { login, keep: deathHeaders }))
}

const deathHeaders: readonly string[] = [
  'x-death',
  ...['first', 'last'].flatMap((which) =>
    ['queue', 'reason', 'exchange'].map((what) => `x-${which}-death-${what}`),
  ),
]

function text(name: string, value: string): FieldEntry {
  return { name, value: { type: 'S', value } }
}
