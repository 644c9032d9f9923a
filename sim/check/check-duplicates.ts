import type { Account } from '../actors/ledger.ts'
import type { Evidence } from './evidence.ts'

/** A message is handled once for each time it was published, plus what broken connections may have doubled. */
export function checkDuplicates(evidence: Evidence): void {
  const { ledger, violate, scenario } = evidence
  const accounts = [...ledger.accounts.values()]
  if (scenario.isDeduped) checkDeduped(evidence, accounts)
  const more = accounts.map((account) => Math.max(0, successesOf(account) - Math.max(1, account.sent)))
  const total = more.reduce((sum, each) => sum + each, 0)
  const held = scenario.consumers.reduce((sum, { prefetch }) => sum + prefetch, 0)
  const allowed = countDisturbances(evidence) * (held + 2 * scenario.redriveWindow) + ledger.mayBeTwice
  if (total > allowed) violate('duplicates', `${total} runs too many, and at most ${allowed} may be`)
}

/** Who shares a store handles a message once, however often it was published, but for what died before it was recorded. */
function checkDeduped({ faults, scenario, violate }: Evidence, accounts: readonly Account[]): void {
  const more = accounts.reduce((sum, account) => sum + Math.max(0, successesOf(account) - 1), 0)
  const kills = faults.filter(({ kind }) => kind === 'kill').length
  const atWork = scenario.consumers.reduce((sum, { concurrency }) => sum + concurrency, 0)
  if (more > kills * atWork) violate('duplicates', `${more} runs of messages that the store knew as done`)
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
