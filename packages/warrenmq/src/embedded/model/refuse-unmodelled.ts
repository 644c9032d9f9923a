import { ProtocolError } from './protocol-error.ts'
import type { Consumer, SettledEntries } from './queue/queue.ts'
import type { QuorumState } from './quorum/quorum-state.ts'

/** Erlang keeps the order of a map up to this size, and 3.10 holds in one what comes back at once. */
const orderedReturns = 32

/**
 * 3.10.8 gives back in any order what returns in one go, if it is more than a few and the queue has a limit of
 * deliveries.
 */
export function refuseLargeReturn(
  { rules, settings }: QuorumState,
  entries: SettledEntries['entries'],
): void {
  if (!rules.notModelled.includes('large-returns') || settings.deliveryLimit === undefined) return
  if (entries.length <= orderedReturns) return
  throw notModelled(
    `more than ${orderedReturns} messages returned at once to a quorum queue with a delivery limit, which come back in any order`,
  )
}

/**
 * 3.10.8 may end the connection (541) of a consumer that was cancelled, still holds messages and comes back under its
 * tag, or remember its old priority. 4.0.5 and 4.3.6 may stop to deliver when a single active consumer ends while one of higher
 * priority waits.
 */
export function refuseUnmodelledConsumer(
  { rules, settings, members }: QuorumState,
  consumer: Consumer,
): void {
  if (rules.notModelled.includes('returning-consumers') && members.isLeaving(consumer)) {
    throw notModelled(
      `a consumer that comes back under its tag '${consumer.tag}' while it holds messages of a quorum queue`,
    )
  }
  const isSingle = settings.hasSingleActiveConsumer && consumer.priority !== 0
  if (isSingle && rules.notModelled.includes('prioritised-single-consumers')) {
    throw notModelled('x-priority on a quorum queue with a single active consumer')
  }
}

function notModelled(what: string): ProtocolError {
  return new ProtocolError(
    'NOT_IMPLEMENTED',
    `the embedded broker does not model what this version does with ${what}`,
  )
}
