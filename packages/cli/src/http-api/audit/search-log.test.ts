import { describe, expect, it } from 'vitest'
import type { ListedAuditRecord } from '../contract/contract.ts'
import { type AuditSearch, type LogEntry, searchLog } from './search-log.ts'

const everything: AuditSearch = {
  filter: {},
  fromMs: Number.NEGATIVE_INFINITY,
  toMs: Number.POSITIVE_INFINITY,
}
const minute = 60_000

/** A log with a record a minute; what `change` says of one is another there. */
function logOf(count: number, change: (offset: number) => Partial<ListedAuditRecord> | 'junk' = () => ({})) {
  const asked: number[] = []
  const entries = Array.from({ length: count }, (_, offset): LogEntry => {
    const changed = change(offset)
    const at = new Date(offset * minute).toISOString()
    const record = { at, by: 'ann', action: 'redrive', target: 'a.dlq' } as ListedAuditRecord
    return { offset, record: changed === 'junk' ? undefined : { ...record, ...changed } }
  })
  return {
    asked,
    end: count - 1,
    read: async ({ from, to }: { readonly from: number; readonly to: number }) => {
      asked.push(to - from + 1)
      return entries.slice(from, to + 1)
    },
  }
}

describe('a search in the audit log', () => {
  it('gives the newest first, as many as asked for, and goes on right behind them', async () => {
    const log = logOf(5_000, (offset) => ({ by: offset % 100 === 0 ? 'bob' : 'ann' }))
    const search = { ...everything, filter: { by: 'bob' } }

    const first = await searchLog({ limit: 3 }, search, log)
    const second = await searchLog({ limit: 3, before: first.from! }, search, log)

    const times = [...first.records, ...second.records].map(({ at }) => Date.parse(at) / minute)
    expect(times).toEqual([4900, 4800, 4700, 4600, 4500, 4400])
  })

  it('that finds nothing looks at no more than it may, and says where to go on', async () => {
    const log = logOf(50_000)
    const search = { ...everything, filter: { action: ['discard'] } }

    const { records, from } = await searchLog({ limit: 10 }, search, log)

    expect([records, from]).toEqual([[], 30_000])
    expect(log.asked.reduce((sum, each) => sum + each)).toBe(20_000)
  })

  it('comes to the beginning of the log', async () => {
    const { records, from } = await searchLog({ limit: 10 }, everything, logOf(4))

    expect([records.length, from]).toEqual([4, 0])
  })

  it('goes no further back than the time that is asked for', async () => {
    const log = logOf(20_000)
    const search = { ...everything, fromMs: 19_990 * minute, toMs: 19_995 * minute }

    const { records, from } = await searchLog({ limit: 10 }, search, log)

    expect([records.length, from]).toEqual([5, null])
    expect(log.asked.length).toBeLessThanOrEqual(2)
  })

  it('finds a record whose writer has a clock that is ahead of the others', async () => {
    const at = (minutes: number) => ({ at: new Date(minutes * minute).toISOString() })
    const log = logOf(4_000, (offset) => (offset === 1_500 ? at(3_001) : offset < 3_000 ? at(2_995) : {}))
    const search = { ...everything, fromMs: 3_000 * minute, toMs: 3_500 * minute }

    const { records } = await searchLog({ limit: 10_000 }, search, log)

    expect(records.length).toBe(501)
  })

  it('passes by what is no record, and counts it', async () => {
    const { records, unreadable } = await searchLog(
      { limit: 10 },
      everything,
      logOf(6, (offset) => (offset % 2 === 0 ? 'junk' : {})),
    )

    expect([records.length, unreadable]).toEqual([3, 3])
  })
})
