import type { Account } from '../actors/ledger.ts'
import type { Evidence } from './evidence.ts'

/** A message is handled once for each time it was published, plus what broken connections may have doubled. */
export function checkDuplicates(evidence: Evidence): void {
  const { ledger, violate, scenario } = evidence
  const accounts = [...ledger.accounts.values()]
  const more = accounts.map((account) => Math.max(0, successesOf(account) - Math.max(1, account.sent)))
  const total = more.reduce((sum, each) => sum + each, 0)
  const held = scenario.consumers.reduce((sum, { prefetch }) => sum + prefetch, 0)
  const allowed = countDisturbances(evidence) * (held + 2 * scenario.redriveWindow) + ledger.mayBeTwice
  if (total > allowed) violate('duplicates', `${total} runs too many, and at most ${allowed} may be`)
}

function successesOf({ runs }: Account): number {
  return runs.filter(({ result }) => result === 'succeed').length
}

/** Each lets a message come again at most once. */
function countDisturbances({ broker, faults }: Evidence): number {
  return broker.brokenConnections + faults.filter(({ kind }) => disturbing.has(kind)).length
}

const disturbing = new Set([
  'kill',
  'close-channels',
  'nack',
  'late-confirm',
  'pause',
  'broker-pause',
  'stall',
  'broker-crash',
])
