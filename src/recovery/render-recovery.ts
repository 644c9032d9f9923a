import type { Receipt } from './receipt.ts'

/** What became of one dead-letter queue. */
export interface QueueRecovery {
  readonly queue: string
  readonly recovered: number
  /** Tried and refused; still in the queue. */
  readonly failed: number
  /** Of no known type; still in the queue. */
  readonly skipped: number
  readonly recoveredByQueue: ReadonlyMap<string, number>
  readonly failedByQueue: ReadonlyMap<string, number>
  /** In the queue at the end. */
  readonly left: number
  /** Of the last run; undefined when the queue was empty. */
  readonly receipt: Receipt | undefined
}

const rule = '================================'

/** The summary, line by line as the reference service prints it. */
export function renderRecovery(recovery: QueueRecovery): readonly string[] {
  const { recovered, failed, skipped, recoveredByQueue, failedByQueue, left } = recovery
  return [
    rule,
    '📊 DLQ RECOVERY SUMMARY',
    rule,
    `✅ Total Recovered: ${recovered} messages`,
    `❌ Total Failed: ${failed} messages (kept in DLQ for retry)`,
    `⚠️  Skipped Messages: ${skipped} (unknown type, kept in DLQ for manual review)`,
    ...byQueue('Successfully Recovered By Queue:', recoveredByQueue),
    ...byQueue('Failed Recoveries By Queue:', failedByQueue),
    rule,
    ...(left > 0 ? [`⚠️  ${left} messages still in DLQ (will retry on next startup)`] : []),
  ]
}

function byQueue(title: string, counts: ReadonlyMap<string, number>): readonly string[] {
  if (counts.size === 0) return []
  return ['', title, ...[...counts].map(([queue, count]) => `   ${queue}: ${count}`)]
}
