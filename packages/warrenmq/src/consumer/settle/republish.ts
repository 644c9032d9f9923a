import { headerInteger, headerText } from '../../message/header-values.ts'
import { readDeaths } from '../../message/read-deaths.ts'
import { stripBrokerHeaders } from '../../message/strip-broker-headers.ts'
import { warrenHeaders } from '../../message/warren-headers.ts'
import type { QueueFlow } from '../../topology/queue-flow.ts'
import type { FieldEntry } from '../../wire/field-value.ts'
import { editProperties, type RawProperties, readProperty } from '../../wire/properties.ts'
import type { Recount } from '../decide/decide-admission.ts'
import { originOf } from '../run/delivered-message.ts'
import { consumerHeaders } from './consumer-headers.ts'

/** What a re-publish of a delivered message starts from. */
export interface Republish {
  readonly delivery: {
    readonly properties: RawProperties
    readonly exchange: string
    readonly routingKey: string
  }
  readonly flow: Pick<QueueFlow, 'queue' | 'attempts' | 'headers'>
  /** The user that publishes. */
  readonly login: string | undefined
  /** Attempts that failed by now. The broker's own count ends with the publish, so it is written down. */
  readonly failedAttempts: number
  /** The span of the attempt that ends with this publish, as W3C writes it: the next one is linked to it. */
  readonly lastAttempt?: string | undefined
}

/** The properties of a message that is published to a wait queue because it failed. */
export function retryProperties(of: Republish & { readonly nowMs: number }): RawProperties {
  const firstFailedAt = time(warrenHeaders.firstFailedAt, firstFailureOf(of))
  // It answered: what was held against it before is void.
  const { deferredUntil, deliveries, suspect, alone } = consumerHeaders
  return editForRepublish(of, { set: [firstFailedAt], remove: [deferredUntil, deliveries, suspect, alone] })
}

/** Of one that waits for its time. */
export function deferProperties(of: Republish & { readonly untilMs: number }): RawProperties {
  return editForRepublish(of, {
    set: [{ name: consumerHeaders.deferredUntil, value: { type: 'l', value: BigInt(of.untilMs) } }],
    remove: [consumerHeaders.alone], // it comes back by a wait queue, which may say that it was delivered before
  })
}

/** Of one that goes back to its own queue with a count of its unanswered deliveries, and of its runs alone. */
export function recountProperties(
  of: Republish & Pick<Recount, 'deliveries' | 'runsAlone' | 'why'>,
): RawProperties {
  const recounts = headerInteger(readProperty(of.delivery.properties, 'headers'), consumerHeaders.recounts)
  // Two copies with the same bytes would be one to the memory of lost acknowledgements, which drops the second.
  const next = (Math.max(0, recounts ?? 0) % largestInteger) + 1
  const set = [integer(consumerHeaders.deliveries, of.deliveries), integer(consumerHeaders.recounts, next)]
  if (of.runsAlone !== undefined) set.push(integer(consumerHeaders.suspect, of.runsAlone))
  if (of.why === 'alone') set.push(integer(consumerHeaders.alone, 1))
  return editForRepublish(of, { set, remove: of.why === 'alone' ? [] : [consumerHeaders.alone] })
}

function editForRepublish(
  of: Republish,
  { set, remove }: { readonly set: readonly FieldEntry[]; readonly remove: readonly string[] },
): RawProperties {
  const { delivery, login } = of
  const edit = stripBrokerHeaders(delivery.properties, { login })
  // Without the deaths it speaks of, this one would hide rejections of the same second that are yet to come.
  const gone = [warrenHeaders.deathsSeen, ...remove]
  return editProperties(delivery.properties, {
    ...edit,
    headers: {
      remove: (name) => gone.includes(name) || edit.headers!.remove!(name),
      set: [...edit.headers!.set!, ...set, ...addressHeaders(of), ...attemptsHeaders(of), ...spanHeader(of)],
    },
  })
}

/** The count in the header that the layout's rule reads, and the retries if the layout has a header for them. */
export function attemptsHeaders({
  flow: { attempts },
  failedAttempts,
  retries = failedAttempts,
}: Pick<Republish, 'flow' | 'failedAttempts'> & { readonly retries?: number }): readonly FieldEntry[] {
  if (attempts.kind === 'header') return [integer(attempts.header, failedAttempts)]
  const count = integer(attempts.baseHeader, failedAttempts)
  return attempts.retriesHeader === undefined ? [count] : [count, integer(attempts.retriesHeader, retries)]
}

/** Where the message was first published, so that no hop can hide it. */
export function addressHeaders({
  delivery,
  flow,
}: Pick<Republish, 'delivery' | 'flow'>): readonly FieldEntry[] {
  const { exchange, routingKey } = originOf(delivery, readProperty(delivery.properties, 'headers'))
  return [text(flow.headers.originalExchange, exchange), text(flow.headers.originalRoutingKey, routingKey)]
}

export function spanHeader({ lastAttempt }: Pick<Republish, 'lastAttempt'>): readonly FieldEntry[] {
  return lastAttempt === undefined ? [] : [text(consumerHeaders.lastAttempt, lastAttempt)]
}

/** As written by an earlier attempt, as the broker saw the first rejection, or now. */
export function firstFailureOf({
  delivery,
  flow,
  nowMs,
}: Pick<Republish, 'delivery' | 'flow'> & { readonly nowMs: number }): number {
  const headers = readProperty(delivery.properties, 'headers')
  const written = Date.parse(headerText(headers, warrenHeaders.firstFailedAt) ?? '')
  if (!Number.isNaN(written)) return written
  const { deaths } = readDeaths(headers)
  const died = deaths.find(({ queue, reason }) => queue === flow.queue && reason === 'rejected')?.timeMs
  // Anybody can send a death, and say any number for its time.
  return died === undefined || Number.isNaN(new Date(died).getTime()) ? nowMs : died
}

export function text(name: string, value: string): FieldEntry {
  return { name, value: { type: 'S', value } }
}

/** The counts in headers are 32 bits wide, as the reference systems write them; one that a client sent may be any. */
const largestInteger = 2_147_483_647

export function integer(name: string, value: number): FieldEntry {
  return { name, value: { type: 'I', value: Math.min(value, largestInteger) } }
}

export function time(name: string, valueMs: number): FieldEntry {
  return text(name, new Date(valueMs).toISOString())
}
