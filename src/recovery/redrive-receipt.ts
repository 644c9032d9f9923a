import type { Interruption, Receipt, RedriveOutcome } from './receipt.ts'
import type { RedriveOptions } from './redrive.ts'
import type { RedriveTally } from './redrive-tally.ts'

export interface RedriveRecord {
  readonly id: string
  readonly options: Pick<RedriveOptions, 'queue' | 'by' | 'reason' | 'consuming'>
  readonly startedAtMs: number
  readonly endedAtMs: number
  /** How long it took, whatever somebody did to the clock meanwhile. */
  readonly elapsedMs: number
  readonly outcome: RedriveOutcome
  readonly interruption: Interruption | undefined
  readonly tally: RedriveTally
  readonly present: number
  /** Ready messages at the end; undefined where nobody could count them. */
  readonly depth: number | undefined
  /** Of these, look like messages that were moved, and may as well be others that are alike. */
  readonly unproved: number
  /** Of those that were present, so many are in the queue for what is over the limit. */
  readonly movedAside: number
  readonly otherConsumers: number
  readonly cameBack: number
  readonly areRoutesProved: boolean
  readonly digest: string
  readonly refusals: readonly string[]
}

const taken = { outcome: 'interrupted', interruption: 'taken' } as const

/** Adds up what a re-drive did. */
export function writeReceipt(record: RedriveRecord): Receipt {
  const { id, options, tally, present, depth, unproved, startedAtMs, endedAtMs } = record
  const { queue, by, reason, consuming } = options
  const { moved, keptCount: kept, failedCount: failed } = tally
  const { movedAside } = record
  const expected = present - moved - movedAside
  const missing = depth === undefined ? 0 : Math.max(0, expected - depth)
  // Nothing is done while the numbers do not add up.
  const isTaken = record.outcome === 'done' && missing > 0
  const { outcome, interruption } = isTaken ? taken : record
  return {
    format: 'warren-receipt/1',
    ...{ id, queue, vhost: consuming.vhost, by, reason },
    startedAt: new Date(startedAtMs).toISOString(),
    endedAt: new Date(endedAtMs).toISOString(),
    ratePerSecond: Math.round((moved * 1000) / Math.max(1, record.elapsedMs)),
    outcome,
    ...(outcome === 'interrupted' && interruption && { interruption }),
    ...{ present, moved, failed, kept },
    stillThere: present - moved - failed - kept,
    arrivals: Math.max(0, (depth ?? 0) - expected - unproved),
    cameBack: record.cameBack,
    missing,
    otherConsumers: record.otherConsumers,
    ...{ duplicatesPossible: tally.duplicatesPossible, refreshed: tally.refreshed },
    ...(movedAside > 0 && { movedAside }),
    ...(unproved > 0 && { unproved }),
    isBalanced: depth !== undefined && depth >= expected && moved + failed + kept <= present,
    ...(depth === undefined && { isCounted: false }),
    ...(!record.areRoutesProved && { areRoutesProved: false }),
    targets: tally.targets,
    causes: [...tally.causes].map(([cause, { label, count }]) => ({ id: cause, label, moved: count })),
    failures: [...tally.failed].map(([kind, count]) => ({
      kind,
      count,
      targets: [...(tally.failedAt.get(kind) ?? [])],
    })),
    keptBecause: [...tally.kept].map(([why, count]) => ({ reason: why, count })),
    digest: record.digest,
    refusals: record.refusals,
  }
}
