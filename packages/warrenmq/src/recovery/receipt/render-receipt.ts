import { formatCounted } from '../../message/format-counted.ts'
import { overLimitName } from '../look/over-limit-name.ts'
import { describeKept } from '../recover/render-recovery.ts'
import type { FailureKind } from '../redrive/failed-publish.ts'
import type { Interruption, Receipt } from './receipt.ts'

/**
 * A receipt for people: what was there, where it went, and whether the sum is right.
 * @example
 * ```ts
 * for (const line of renderReceipt(receipt)) console.log(line)
 * ```
 */
export function renderReceipt(receipt: Receipt): readonly string[] {
  const { present, moved, failed, kept, stillThere, arrivals } = receipt
  return [
    `${moved} of ${formatCounted(present, 'message')} moved out of ${receipt.queue}, ${receipt.ratePerSecond}/s.`,
    ...describeOutcome(receipt),
    ...(receipt.where === undefined ? [] : [`  selected: ${receipt.where}`]),
    ...receipt.targets.map((target) => `  ${target.moved} to ${target.target}`),
    ...describeCopies(receipt),
    ...receipt.failures.map(describeFailures),
    ...receipt.keptBecause.map(({ reason, count }) => `  ${count} kept: ${describeKept(reason)}`),
    ...describeRefusals(receipt),
    ...(receipt.areRoutesProved === false ? [`  ${unprovedRoutes}`] : []),
    ...(arrivals > 0 ? [`  ${arrivals} arrived during the run and were not touched`] : []),
    ...(receipt.refreshed > 0
      ? [`  ${receipt.refreshed} put at the end of the queue, so that it would not delete them`]
      : []),
    ...describeMovedAside(receipt),
    ...(receipt.duplicatesPossible > 0 ? [`  ${receipt.duplicatesPossible} may exist twice`] : []),
    ...(receipt.otherConsumers > 0
      ? [
          `  ${formatCounted(receipt.otherConsumers, 'other consumer')} on the queue, so new messages and those that others took cannot be told apart`,
        ]
      : []),
    ...describeMissing(receipt),
    `${present} = ${moved} moved + ${failed} failed + ${kept} kept + ${stillThere} still there` +
      describeBalance(receipt),
  ]
}

/** By target it counts publishes. */
function describeCopies({
  moved,
  published = moved,
  acksInDoubt = 0,
  unanswered = 0,
}: Receipt): readonly string[] {
  return [
    ...(published > moved
      ? [
          `  ${formatCounted(published, 'publish', 'publishes')} confirmed, ${published - moved} more than messages moved`,
        ]
      : []),
    ...(acksInDoubt > 0
      ? [
          `  ${formatCounted(acksInDoubt, 'acknowledgement')} in doubt: up to this many more messages may have left the queue`,
        ]
      : []),
    ...(unanswered > 0
      ? [
          `  ${formatCounted(unanswered, 'publish', 'publishes')} without an answer: each may be at its target`,
        ]
      : []),
  ]
}

const unprovedRoutes =
  'routes were not proved beforehand, because there was no management API to ask. Messages without a route failed and are still in the queue'

function describeFailures({ kind, count, targets = [] }: Receipt['failures'][number]): string {
  const where = targets.length === 0 ? '' : `, to ${targets.join(', ')}`
  return `  ${count} failed: ${failureWords[kind]} (${kind})${where}; still in the queue`
}

const failureWords: Readonly<Record<FailureKind, string>> = {
  unroutable: 'the broker had no queue for them',
  refused: 'their target refused them, as a full queue does',
  unanswered: 'the broker did not answer',
}

/** The error that ended a run is the last of them, and no refusal. */
function describeRefusals({ refusals, interruption }: Receipt): readonly string[] {
  const hasError = interruption === 'failed' || interruption === 'forbidden'
  return refusals.map((problem, index) => {
    const isError = hasError && index === refusals.length - 1
    return isError ? `  the error: ${problem}` : `  refused: ${problem}`
  })
}

function describeMovedAside({ queue, movedAside = 0 }: Receipt): readonly string[] {
  if (movedAside === 0) return []
  return [
    `  in ${overLimitName(queue)}: ${movedAside} of those left, because the queue would have deleted them and accepted no copies`,
  ]
}

function describeMissing({ missing, interruption }: Receipt): readonly string[] {
  if (missing === 0) return []
  const how =
    interruption === 'queue-deleted' ? 'deleted with the queue' : 'taken by somebody else during the run'
  return [`  ${missing} ${how}`]
}

function describeBalance({ isBalanced, isCounted = true }: Receipt): string {
  if (!isCounted) return ' — as far as is known: the broker was away at the end, so the queue was not counted'
  return isBalanced ? '' : ' — but the queue does not hold what it should'
}

function describeOutcome({ outcome, cameBack, interruption }: Receipt): readonly string[] {
  switch (outcome) {
    case 'done':
      return []
    case 'cancelled':
      return ['It was cancelled.']
    case 'held-too-long':
      return ['It stopped: messages cannot be held longer. Run it again for the rest.']
    case 'came-back-dead':
      return [`It stopped: ${cameBack} of the moved messages died again.`]
    case 'target-too-deep':
      return ['It stopped: a target holds as many messages as it may.']
    case 'interrupted':
      return [describeInterruption(interruption)]
  }
}

function describeInterruption(interruption: Interruption | undefined): string {
  switch (interruption) {
    case 'locked':
      return 'It was interrupted: the connection was lost, and somebody else has the queue now. Run it again for the rest.'
    case 'node-lost':
      return 'It was interrupted: a node was lost, and the queue has not yet returned the messages that were held there. Run it again for the rest.'
    case 'no-progress':
      return 'It was interrupted: some messages could not be taken in several passes. Run it again for the rest.'
    case 'queue-deleted':
      return 'It was interrupted: somebody deleted the queue, with the messages that were left in it.'
    case 'away':
      return 'It was interrupted: the broker, or the node of the queue, was away for longer than the re-drive waits (--wait). Run it again for the rest.'
    case 'failed':
      return 'It was interrupted by an error, which is shown below. Run it again for the rest.'
    case 'forbidden':
      return 'It was interrupted: the broker no longer allows this user to do it. Its error is shown below. Run it again for the rest.'
    case 'taken':
      return 'It has finished, but the queue holds fewer messages than it should: messages expired, or somebody else took them.'
    case undefined:
      return 'It was interrupted. Run it again for the rest.' // a receipt of an earlier version does not say by what
  }
}
