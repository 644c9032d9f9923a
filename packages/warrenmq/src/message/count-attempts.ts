import type { FieldEntry } from '../wire/field-value.ts'
import { brokerCapabilities } from './broker-capabilities.ts'
import type { BrokerVersion } from './broker-version.ts'
import { type EncodedHeaders, headerInteger, headerValue, integerOf } from './header-values.ts'
import { type Death, type DeathHistory, isCoherent, readDeathEntries } from './read-deaths.ts'
import { warrenHeaders } from './warren-headers.ts'

/** How a layout counts attempts. */
export type AttemptsRule =
  /**
   * The broker counts: failed messages are rejected into a dead-letter loop that leads back to `queue`. The
   * integer in `baseHeader` is added: what had failed before a re-drive that continues the count. `retriesHeader`: where
   * handlers and other programs see the retries so far; a message that has that one alone goes on from it.
   */
  | {
      readonly kind: 'rejections'
      /** The queue that the loop leads back to. */
      readonly queue: string
      /** The header with the attempts before a re-drive that continues the count. */
      readonly baseHeader: string
      /** The header where handlers and other programs see the retries so far. */
      readonly retriesHeader?: string | undefined
    }
  /** Warren counts: failed messages are published to a wait queue with this header one higher. */
  | {
      readonly kind: 'header'
      /** The header with the attempts so far. */
      readonly header: string
    }

export interface AttemptsQuestion {
  readonly headers: EncodedHeaders
  readonly rule: AttemptsRule
  readonly version: BrokerVersion
}

/** The attempts that had failed before this delivery; the delivery itself is attempt number `+ 1`. */
export function countAttempts({ headers, rule, version }: AttemptsQuestion): number {
  switch (rule.kind) {
    case 'header':
      return headerInteger(headers, rule.header) ?? 0
    case 'rejections':
      return baseOf(headers, rule) + countRejections(headers, rule.queue, version)
  }
}

/** Before the next attempt as many have failed as there were retries. */
function baseOf(
  headers: EncodedHeaders,
  { baseHeader, retriesHeader }: AttemptsRule & { kind: 'rejections' },
): number {
  const base = headerInteger(headers, baseHeader)
  if (base !== undefined || retriesHeader === undefined) return base ?? 0
  return headerInteger(headers, retriesHeader) ?? 0
}

/**
 * The header to write when a message is published with its `x-death` left on, as event-bus does in its DLQ. The
 * rejections that stand in it then are not counted again when the message comes back, by whatever tool: older
 * brokers count on from them, newer ones show them until the next death and then start at 1.
 */
export function deathsSeen({ history, queue }: { history: DeathHistory; queue: string }): FieldEntry {
  const entry = rejectionsOf(history.deaths, queue)
  return {
    name: warrenHeaders.deathsSeen,
    value: {
      type: 'F',
      value: [
        { name: 'rejections', value: { type: 'l', value: BigInt(entry?.count ?? 0) } },
        { name: 'since', value: { type: 'l', value: BigInt(entry?.timeMs ?? 0) } },
      ],
    },
  }
}

function countRejections(headers: EncodedHeaders, queue: string, version: BrokerVersion): number {
  const deaths = readDeathEntries(headers)
  const entry = rejectionsOf(deaths, queue)
  if (!entry) return 0
  const seen = readSeen(headers)
  // The time of an entry is that of its first death and never moves, so the same time is the same counting,
  // and a lower count a new one that began within the same second.
  if (seen && seen.sinceMs === entry.timeMs && entry.count >= seen.rejections)
    return entry.count - seen.rejections
  // A broker that ignores a client's x-death still shows it until the next death replaces it. It is believed
  // there only with its companions, which the broker always writes along and a hand-made header seldom has.
  const isBelievable = brokerCapabilities(version).trustsClientDeaths || isCoherent(headers, deaths)
  return isBelievable ? entry.count : 0
}

function rejectionsOf(deaths: readonly Death[], queue: string): Death | undefined {
  return deaths.find((death) => death.queue === queue && death.reason === 'rejected')
}

function readSeen(headers: EncodedHeaders): { rejections: number; sinceMs: number } | undefined {
  const value = headerValue(headers, warrenHeaders.deathsSeen)
  if (value?.type !== 'F') return undefined
  const field = (name: string) => integerOf(value.value.find((entry) => entry.name === name)?.value) ?? 0
  return { rejections: field('rejections'), sinceMs: field('since') }
}
