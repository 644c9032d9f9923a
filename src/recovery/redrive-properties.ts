import type { BrokerVersion } from '../message/broker-version.ts'
import { countAttempts } from '../message/count-attempts.ts'
import { headerInteger } from '../message/header-values.ts'
import { stripBrokerHeaders } from '../message/strip-broker-headers.ts'
import { warrenHeaders } from '../message/warren-headers.ts'
import type { QueueFlow } from '../topology/queue-flow.ts'
import type { FieldEntry } from '../wire/field-value.ts'
import { editProperties, type RawProperties, readProperty } from '../wire/properties.ts'
import { recoveryHeaders } from './recovery-headers.ts'

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
 * Makes the properties of messages that are put back: their own bytes, less what a broker would believe or
 * obey (kept in one header of ours), plus who put them back.
 */
export function propertiesWriter(edit: RedriveEdit): WriteProperties {
  const constant = auditEntries(edit.audit)
  return (properties, flow) => {
    const headers = readProperty(properties, 'headers')
    const strip = stripBrokerHeaders(properties, { login: edit.login })
    const count = (headerInteger(headers, recoveryHeaders.redriveCount) ?? 0) + 1
    const stale = edit.attempts === 'reset' ? attemptHeaders : seenHeaders
    return editProperties(properties, {
      ...strip,
      headers: {
        remove: (name) => stale.has(name) || name === flow?.headers.attempts || strip.headers!.remove!(name),
        set: [
          ...strip.headers!.set!,
          ...constant,
          { name: recoveryHeaders.redriveCount, value: { type: 'I', value: count } },
          ...(edit.attempts === 'continue' ? attemptsSoFar(headers, flow, edit.version) : []),
        ],
      },
    })
  }
}

function auditEntries({ id, by, atMs, reason }: Audit): readonly FieldEntry[] {
  return [
    text(recoveryHeaders.redrivenAt, new Date(atMs).toISOString()),
    text(recoveryHeaders.redrivenBy, by),
    text(recoveryHeaders.redriveId, id),
    ...(reason === undefined ? [] : [text(recoveryHeaders.redriveReason, reason)]),
  ]
}

/** The broker's count ends with the strip, so a count that is to go on is written into the layout's header. */
function attemptsSoFar(
  headers: Buffer | undefined,
  flow: QueueFlow | undefined,
  version: BrokerVersion,
): readonly FieldEntry[] {
  if (!flow) return []
  const value = countAttempts({ headers, rule: flow.attempts, version })
  return [{ name: flow.headers.attempts, value: { type: 'I', value } }]
}

const seenHeaders: ReadonlySet<string> = new Set([warrenHeaders.deathsSeen])
const attemptHeaders: ReadonlySet<string> = new Set([
  ...seenHeaders,
  warrenHeaders.attempts,
  warrenHeaders.retryCount,
])

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
