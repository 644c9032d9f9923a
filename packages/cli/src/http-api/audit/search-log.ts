import type { AuditRecord, ListedAuditRecord } from '../contract/contract.ts'
import { type FieldFilter, isAskedFor } from '../lists/is-asked-for.ts'
import { isWithin, type Period } from '../lists/read-period.ts'
import { type AuditPlace, planPage } from './plan-page.ts'

/** What is looked for in the log. */
export interface AuditSearch extends Period {
  readonly filter: FieldFilter<'by' | 'action' | 'target'>
}

/** What stands at a place of the log; no record where somebody else has written it. */
export interface LogEntry {
  readonly offset: number
  readonly record: ListedAuditRecord | undefined
}

/** The log as it is searched. */
export interface SearchedLog {
  /** Where its newest entry stands. */
  readonly end: number
  /** What stands between two places, both included, in the order of the log. */
  readonly read: (range: { readonly from: number; readonly to: number }) => Promise<readonly LogEntry[]>
}

export interface Found {
  /** The newest first. */
  readonly records: readonly ListedAuditRecord[]
  /** Passed by, and no records. */
  readonly unreadable: number
  /** Everything from this place on is looked at. Null where nothing older can be meant. */
  readonly from: number | null
}

/** How far one request looks; the next page goes on from there. */
const mostLookedAt = 20_000
const mostAtOnce = 1_000
/** A record has the time of its writer, and the clocks of writers differ. */
const mostSkewMs = 10 * 60_000

/** Looks for records from a place back, until there are as many as asked for, or it has looked at so many. */
export async function searchLog(
  { limit, before = Number.POSITIVE_INFINITY }: AuditPlace,
  search: AuditSearch,
  { end, read }: SearchedLog,
): Promise<Found> {
  const records: ListedAuditRecord[] = []
  const start = Math.min(before, end + 1)
  let unreadable = 0
  let from = start
  while (from > 0 && from > start - mostLookedAt) {
    const range = planPage({ limit: mostAtOnce, before: from }, end)
    const entries = await read(range)
    for (const { offset, record } of entries.toReversed()) {
      if (!record) unreadable += 1
      else if (isWanted(record, search)) records.push(record)
      if (records.length === limit) return { records, unreadable, from: offset }
    }
    if (isAllTooOld(entries, search)) return { records, unreadable, from: null }
    from = range.from
  }
  return { records, unreadable, from }
}

function isWanted({ at, by, action, target }: AuditRecord, search: AuditSearch): boolean {
  return isWithin(at, search) && isAskedFor({ by, action, target }, search.filter)
}

function isAllTooOld(entries: readonly LogEntry[], { fromMs }: AuditSearch): boolean {
  const times = entries.flatMap(({ record }) => (record ? [Date.parse(record.at)] : []))
  return times.length > 0 && times.every((at) => at < fromMs - mostSkewMs)
}
