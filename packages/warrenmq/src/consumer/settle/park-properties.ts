import { deathsSeen } from '../../message/count-attempts.ts'
import { causeOf } from '../../message/fingerprint-cause.ts'
import { readDeaths } from '../../message/read-deaths.ts'
import { isBrokerHeader, stripBrokerHeaders } from '../../message/strip-broker-headers.ts'
import { warrenHeaders } from '../../message/warren-headers.ts'
import type { FieldEntry } from '../../wire/field-value.ts'
import { editProperties, type RawProperties, readProperty } from '../../wire/properties.ts'
import type { DeadLetterReason } from '../decide/decide-outcome.ts'
import type { Failure } from '../run/handler-result.ts'
import { consumerHeaders } from './consumer-headers.ts'
import {
  addressHeaders,
  attemptsHeaders,
  firstFailureOf,
  integer,
  type Republish,
  spanHeader,
  text,
  time,
} from './republish.ts'

export interface Park extends Republish {
  readonly reason: DeadLetterReason
  readonly failure: Failure
  readonly nowMs: number
  readonly service: string | undefined
  readonly host: string | undefined
  /** The name by which its consumer knew it, for one that says no type itself. */
  readonly type?: string | undefined
  /** All properties of the dead letter together. @default 49152 */
  readonly budgetBytes?: number
}

/** The broker closes the connection over properties that fill a frame (128 KiB); readers of old have less. */
const defaultBudgetBytes = 48 * 1024
const longestStackBytes = 8 * 1024
const longestErrorBytes = 4 * 1024
const longestTypeBytes = 256

/**
 * The properties of a dead letter: its own, its death history, and why it is here. What does not fit is cut,
 * the stack first, then the error; what the message itself carries is never cut.
 */
export function parkProperties(park: Park): RawProperties {
  const { failure, budgetBytes = defaultBudgetBytes } = park
  const bare = compose(park, {})
  let left = Math.max(0, budgetBytes - bare.length)
  const errorMessage = cut(failure.errorMessage, Math.min(longestErrorBytes, left - overheadBytes))
  left -= sizeOf(errorMessage)
  const stack = cut(failure.stack, Math.min(longestStackBytes, left - overheadBytes))
  return compose(park, { errorMessage, stack })
}

/**
 * The properties of a dead letter on which the rest cannot be written: its own, less what the broker would obey or
 * refuse, and in a few words why it is here.
 */
export function bareParkProperties({ delivery, flow, login, reason, failure }: Park): RawProperties {
  const isForeign = readProperty(delivery.properties, 'userId') !== login
  return editProperties(delivery.properties, {
    set: { deliveryMode: 2 },
    remove: isForeign ? ['expiration', 'userId'] : ['expiration'],
    headers: {
      remove: (name) => staleHeaders.has(name) || isBrokerHeader(name),
      set: [
        text(warrenHeaders.reason, reason),
        text(flow.headers.originalQueue, flow.queue),
        text(flow.headers.finalError, cut(failure.errorMessage, longestTypeBytes) ?? ''),
      ],
    },
  })
}

/** Name, type and length of a header, generously. */
const overheadBytes = 64

interface Texts {
  readonly errorMessage?: string | undefined
  readonly stack?: string | undefined
}

function compose(park: Park, texts: Texts): RawProperties {
  const { delivery, flow, login } = park
  const edit = stripBrokerHeaders(delivery.properties, { login, keep: ['x-death'] })
  const isGone = (name: string) => staleHeaders.has(name) || edit.headers!.remove!(name)
  const { type = park.type } = { type: readProperty(delivery.properties, 'type') }
  const written = editProperties(delivery.properties, {
    ...edit,
    set: type === undefined ? edit.set! : { ...edit.set, type },
    headers: {
      remove: isGone,
      set: [
        ...edit.headers!.set!,
        ...countHeaders(park),
        ...addressHeaders(park),
        ...spanHeader(park),
        ...failureHeaders(park, texts),
      ],
    },
  })
  // The cause is read from the headers, so that every later reader finds the same one.
  const cause = causeOf(readProperty(written, 'headers'))
  const seen = flow.attempts.kind === 'rejections' ? [deathsSeenIn(park)] : []
  return editProperties(written, { headers: { set: [text(warrenHeaders.cause, cause.id), ...seen] } })
}

/** From an earlier death of the same message: they must not remain beside those of this one. */
const staleHeaders: ReadonlySet<string> = new Set([
  warrenHeaders.deathsSeen,
  warrenHeaders.finalError,
  warrenHeaders.finalStatusCode,
  warrenHeaders.errorType,
  warrenHeaders.errorStack,
  consumerHeaders.deferredUntil,
  consumerHeaders.deliveries,
  consumerHeaders.recounts,
  consumerHeaders.suspect,
  consumerHeaders.alone,
])

function countHeaders(park: Park): readonly FieldEntry[] {
  const { flow, failedAttempts } = park
  const retries = Math.max(0, failedAttempts - 1)
  return [
    ...attemptsHeaders({ flow, failedAttempts, retries }),
    integer(flow.headers.finalRetryCount, retries),
    text(flow.headers.originalQueue, flow.queue),
  ]
}

function failureHeaders(park: Park, { errorMessage, stack }: Texts): readonly FieldEntry[] {
  const { flow, failure, reason, service, host, nowMs } = park
  const errorType = cut(failure.errorType, longestTypeBytes)
  const optional: readonly (FieldEntry | undefined)[] = [
    failure.statusCode === undefined ? undefined : integer(flow.headers.finalStatusCode, failure.statusCode),
    errorMessage ? text(flow.headers.finalError, errorMessage) : undefined,
    errorType ? text(warrenHeaders.errorType, errorType) : undefined,
    stack ? text(warrenHeaders.errorStack, stack) : undefined,
    service ? text(warrenHeaders.service, service) : undefined,
    host ? text(warrenHeaders.host, host) : undefined,
  ]
  return [
    text(warrenHeaders.reason, reason),
    time(warrenHeaders.firstFailedAt, firstFailureOf(park)),
    time(warrenHeaders.lastFailedAt, nowMs),
    ...optional.filter((entry) => entry !== undefined),
  ]
}

function deathsSeenIn({ delivery, flow }: Park): FieldEntry {
  const history = readDeaths(readProperty(delivery.properties, 'headers'))
  return deathsSeen({ history, queue: flow.queue })
}

function sizeOf(value: string | undefined): number {
  return value === undefined ? 0 : Buffer.byteLength(value) + overheadBytes
}

/** At most this many bytes of UTF-8, never half a character; undefined when nothing is left. */
function cut(value: string | undefined, bytes: number): string | undefined {
  if (value === undefined || bytes <= 0) return undefined
  const encoded = Buffer.from(value)
  if (encoded.length <= bytes) return value
  let end = bytes
  while (end > 0 && (encoded[end]! & 0xc0) === 0x80) end -= 1
  return end === 0 ? undefined : encoded.toString('utf8', 0, end)
}
