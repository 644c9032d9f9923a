import type { Receipt } from '../../packages/warrenmq/src/recovery/receipt/receipt.ts'
import type { RestoreNote } from '../actors/ledger.ts'
import { epochMs } from '../world/universe.ts'
import type { Evidence } from './evidence.ts'

/** Everything that a receipt says about copies and acks, against what the broker saw. */
export function checkReceipts(evidence: Evidence): void {
  for (const { receipt, window } of evidence.ledger.receipts) {
    const problem = findProblem(receipt, evidence)
    if (problem) evidence.violate('receipts', `${problem}; ${describe(receipt)}`)
    checkWindow(receipt, window, evidence)
  }
  for (const note of evidence.ledger.restores) {
    const problem = findRestoreProblem(note)
    if (problem) evidence.violate('receipts', `a restore says ${JSON.stringify(note.report)}; ${problem}`)
  }
}

/** Every record of the file is told of once, none is put back twice, and what is said to be restored is there. */
function findRestoreProblem({ report, published, doneBefore }: RestoreNote): string | undefined {
  const { records, restored, restoredBefore, alreadyThere, notRemoved, failed } = report
  if (restored + restoredBefore + alreadyThere + notRemoved + failed !== records) return 'its sum is wrong'
  if (restoredBefore + notRemoved < doneBefore) return `${doneBefore} were back before, by its own journal`
  if (restored > published) return `${published} came into the queue`
  return undefined
}

/** A crash doubles no more than the window; each broken connection may have doubled as many before. */
function checkWindow({ id }: Receipt, window: number, { watch, broker, faults, violate }: Evidence): void {
  const { mostDoubled } = watch.redrive(id)
  const most = window * (1 + broker.brokenConnections + faults.length)
  if (mostDoubled > most) violate('window', `${mostDoubled} copies at a time; the window is ${most}`)
}

function findProblem(receipt: Receipt, { watch, faults, ledger }: Evidence): string | undefined {
  const { present, moved, failed, kept, stillThere } = receipt
  const hasJumps = faults.some(({ kind }) => kind === 'clock-jump')
  // Nobody can tell then which copies are of which part of the task.
  if (hasJumps && ledger.resumed.has(receipt.id)) return undefined
  if (present !== moved + failed + kept + stillThere) return 'its sum is wrong'
  const parts = partsOf(receipt, ledger)
  const clockMarginMs = hasJumps ? longestJumpMs : 5
  const fromMs = Math.min(...parts.map(({ startedAt }) => Date.parse(startedAt))) - epochMs - clockMarginMs
  const toMs = Math.max(...parts.map(({ endedAt }) => Date.parse(endedAt))) - epochMs + clockMarginMs
  const published = sum(parts, (part) => part.published ?? 0)
  const unanswered = sum(parts, (part) => part.unanswered ?? 0)
  const allMoved = sum(parts, (part) => part.moved)
  const arrived = watch.redrive(receipt.id).arrivedAtMs.filter((atMs) => atMs >= fromMs).length
  if (arrived < published) return `only ${arrived} copies arrived`
  // A part that was killed has no receipt, and its copies are counted among those of the others.
  const isAllTold = (ledger.parts.get(receipt.id) ?? 1) <= parts.length
  if (isAllTold && arrived > published + unanswered) return `${arrived} copies arrived`
  if (allMoved > arrived) return `it moved more than the ${arrived} that arrived`
  const acked = watch.countAcked(receipt.queue, { fromMs, toMs })
  if (allMoved > acked) return `only ${acked} were acknowledged meanwhile`
  if (isAllTold && arrived - acked > sum(parts, ({ duplicatesPossible }) => duplicatesPossible))
    return `${arrived} arrived, and ${acked} were acknowledged`
  return undefined
}

/**
 * A server that stood still is taken for gone, and another goes on with its task under the same id. What both did at
 * the same time cannot be told apart from outside, so their receipts have to be true together. What came later counts
 * among what has arrived since, so it belongs to them, too.
 */
function partsOf(receipt: Receipt, ledger: Evidence['ledger']): readonly Receipt[] {
  const all = ledger.receipts.map((note) => note.receipt).filter(({ id }) => id === receipt.id)
  let parts = [receipt]
  for (let known = 0; known < parts.length; ) {
    known = parts.length
    const [first = ''] = parts.map(({ startedAt }) => startedAt).sort()
    parts = all.filter(({ endedAt }) => endedAt >= first)
  }
  return parts
}

function sum(receipts: readonly Receipt[], read: (receipt: Receipt) => number): number {
  return receipts.reduce((total, receipt) => total + read(receipt), 0)
}

/** The clock of the process may have been set meanwhile. */
const longestJumpMs = 300_000

function describe(receipt: Receipt): string {
  const { outcome, interruption, present, moved, failed, kept, stillThere, published, unanswered } = receipt
  const { acksInDoubt, duplicatesPossible, arrivals, missing } = receipt
  return JSON.stringify({
    outcome,
    interruption,
    present,
    moved,
    failed,
    kept,
    stillThere,
    published,
    unanswered,
    acksInDoubt,
    duplicatesPossible,
    arrivals,
    missing,
  })
}
