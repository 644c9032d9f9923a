import type { Receipt, RedriveOutcome } from './receipt.ts'
import type { RedriveOptions } from './redrive.ts'
import type { RedriveTally } from './redrive-tally.ts'

export interface RedriveRecord {
  readonly id: string
  readonly options: Pick<RedriveOptions, 'queue' | 'by' | 'reason' | 'consuming'>
  readonly startedAtMs: number
  readonly endedAtMs: number
  readonly outcome: RedriveOutcome
  readonly tally: RedriveTally
  readonly present: number
  /** Ready messages at the end. */
  readonly depth: number
  readonly otherConsumers: number
  readonly cameBack: number
  readonly digest: string
  readonly refusals: readonly string[]
}

/** Adds up what a re-drive did. */
export function writeReceipt(record: RedriveRecord): Receipt {
  const { id, options, tally, present, depth, startedAtMs, endedAtMs } = record
  const { queue, by, reason, consuming } = options
  const { moved, keptCount: kept, failedCount: failed } = tally
  const expected = present - moved
  return {
    format: 'warren-receipt/1',
    ...{ id, queue, vhost: consuming.vhost, by, reason },
    startedAt: new Date(startedAtMs).toISOString(),
    endedAt: new Date(endedAtMs).toISOString(),
    ratePerSecond: Math.round((moved * 1000) / Math.max(1, endedAtMs - startedAtMs)),
    outcome: record.outcome,
    ...{ present, moved, failed, kept },
    stillThere: present - moved - failed - kept,
    arrivals: Math.max(0, depth - expected),
    cameBack: record.cameBack,
    missing: Math.max(0, expected - depth),
    otherConsumers: record.otherConsumers,
    ...{ duplicatesPossible: tally.duplicatesPossible, refreshed: tally.refreshed },
    isBalanced: depth >= expected && moved + failed + kept <= present,
    targets: tally.targets,
    causes: [...tally.causes].map(([cause, { label, count }]) => ({ id: cause, label, moved: count })),
    failures: [...tally.failed].map(([kind, count]) => ({ kind, count })),
    keptBecause: [...tally.kept].map(([why, count]) => ({ reason: why, count })),
    digest: record.digest,
    refusals: record.refusals,
  }
}
