import { overLimitName } from '../look/over-limit-name.ts'
import type { Receipt } from '../receipt/receipt.ts'
import type { KeepReason } from '../redrive/plan-redrive.ts'

/** What became of one dead-letter queue. */
export interface QueueRecovery {
  /** The queue that was recovered. */
  readonly queue: string
  /** Messages that were moved. */
  readonly recovered: number
  /** Tried and refused; still in the queue. */
  readonly failed: number
  /** Of no known type; still in the queue. */
  readonly skipped: number
  /** Left in the queue for other reasons than their type. */
  readonly keptBecause: Receipt['keptBecause']
  /** Messages that were moved, by target. */
  readonly recoveredByQueue: ReadonlyMap<string, number>
  /** Messages that failed, by target. */
  readonly failedByQueue: ReadonlyMap<string, number>
  /** Messages in the queue at the end; if there is a `problem`, as far as is known. */
  readonly left: number
  /** Over all runs: in `<queue>.over-limit` now, because the queue would have deleted them and took no copy. */
  readonly movedAside: number
  /** Over all runs: at most this many are at their target twice. */
  readonly duplicatesPossible: number
  /** How many were left in the queue when it was deleted. */
  readonly deleted: number
  /** Of the last run; undefined when the queue was empty. */
  readonly receipt: Receipt | undefined
  /** After every run the queue held at least what it should. */
  readonly isBalanced: boolean
  /** False: the broker was away when the time was over, so `left` is what should be there. */
  readonly isCounted: boolean
  /** Why it ended before its time. */
  readonly problem: string | undefined
}

const rule = '================================'

/** The summary, line by line as the reference service prints it. */
export function renderRecovery(recovery: QueueRecovery): readonly string[] {
  const { recovered, failed, skipped, keptBecause, recoveredByQueue, failedByQueue } = recovery
  return [
    rule,
    '📊 DLQ RECOVERY SUMMARY',
    rule,
    `✅ Total Recovered: ${recovered} messages`,
    `❌ Total Failed: ${failed} messages (kept in DLQ for retry)`,
    `⚠️  Skipped Messages: ${skipped} (unknown type, kept in DLQ for manual review)`,
    ...keptBecause.map(({ reason, count }) => `⚠️  Kept Messages: ${count} (${describeKeptAll(reason)})`),
    ...(recovery.receipt?.refusals ?? []).map((refusal) => `   ${refusal}`),
    ...describeMovedAside(recovery),
    ...describeDuplicates(recovery),
    ...byQueue('Successfully Recovered By Queue:', recoveredByQueue),
    ...byQueue('Failed Recoveries By Queue:', failedByQueue),
    rule,
    ...(recovery.isBalanced || recovery.deleted > 0
      ? []
      : ['❌ The DLQ does not hold what it should: somebody else took messages from it']),
    ...(recovery.problem ? [`❌ Recovery of ${recovery.queue} ended early: ${recovery.problem}`] : []),
    ...describeLeft(recovery),
  ]
}

function describeMovedAside({ queue, movedAside }: QueueRecovery): readonly string[] {
  if (movedAside === 0) return []
  return [`⚠️  Moved Aside: ${movedAside} (in ${overLimitName(queue)}; the DLQ would have deleted them)`]
}

function describeDuplicates({ duplicatesPossible }: QueueRecovery): readonly string[] {
  if (duplicatesPossible === 0) return []
  return [
    `⚠️  Possible Duplicates: ${duplicatesPossible} (an answer of the broker was lost; they may have arrived twice)`,
  ]
}

function describeLeft({ left, isCounted, deleted }: QueueRecovery): readonly string[] {
  if (deleted > 0) return [`❌ The DLQ was deleted meanwhile, and ${deleted} messages with it`]
  if (!isCounted)
    return [`⚠️  DLQ not counted: the broker was away at the end. ${left} messages should still be in it`]
  return left > 0 ? [`⚠️  ${left} messages still in DLQ (will retry on next startup)`] : []
}

/**
 * Why a message stays, in words for who reads the log.
 * @example
 * ```ts
 * console.log(describeKept('origin-unknown')) // its origin is not known
 * ```
 */
export function describeKept(reason: KeepReason): string {
  return keptWords[reason]
}

/** In the sum these appear twice: they were recovered, and have come into the queue again. */
function describeKeptAll(reason: KeepReason): string {
  return reason === 'dead-again' ? `${describeKept(reason)}, counted in both` : describeKept(reason)
}

const keptWords: Readonly<Record<KeepReason, string>> = {
  'type-unknown': 'unknown type',
  'target-refused': 'its target was refused',
  'too-large': 'larger than the broker takes',
  unreadable: 'its headers cannot be read',
  'came-back': 'recovered by this run and dead again',
  'dead-again': 'recovered by this run and dead again',
  stopped: 'the recovery ended before its turn',
  'not-selected': 'not selected',
  'over-the-limit': 'more than were asked for',
  'origin-unknown': 'its origin is not known',
  'origin-foreign': 'its headers name a queue whose dead letters do not come here; name the target',
  'no-wait-queue': 'no wait queue is known for its origin; --config names the file that declares it',
}

/** By name: which queue confirmed first is chance, and two summaries should be easy to compare. */
function byQueue(title: string, counts: ReadonlyMap<string, number>): readonly string[] {
  if (counts.size === 0) return []
  const sorted = [...counts].sort(([one], [other]) => (one < other ? -1 : 1))
  return ['', title, ...sorted.map(([queue, count]) => `   ${queue}: ${count}`)]
}
