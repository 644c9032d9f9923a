import type { HandlerRun } from '../actors/ledger.ts'
import type { Evidence } from './evidence.ts'
import { isSettled, readQueues } from './queue-contents.ts'
import { readDiscarded } from './read-discarded.ts'

/** Every message that was confirmed is in a queue, handled, or in the file of a discard; and no other is anywhere. */
export function checkNothingLost(evidence: Evidence): void {
  const { ledger, broker, violate } = evidence
  if (!isSettled(evidence)) return // what is in hand cannot be seen
  const queued = new Set(readQueues(broker).flatMap(({ ids }) => ids))
  const discarded = readDiscarded(evidence)
  for (const [id, { confirmed, sent, runs }] of ledger.accounts) {
    const isHandled = runs.some(({ result }) => result === 'succeed')
    const isSomewhere = isHandled || queued.has(id) || discarded.has(id)
    if (confirmed > 0 && !isSomewhere && !ledger.deleted.has(id))
      violate('nothing-lost', `${id} was confirmed and is nowhere; attempts ${describeRuns(runs)}`)
    if (sent === 0 && isSomewhere) violate('nothing-made-up', `${id} was never published`)
  }
  for (const id of queued) {
    if (id !== undefined && !ledger.accounts.has(id)) violate('nothing-made-up', `nobody published ${id}`)
  }
}

function describeRuns(runs: readonly HandlerRun[]): string {
  return runs.map(({ attempt, result }) => `${attempt} ${result ?? 'died'}`).join(', ') || 'none'
}
