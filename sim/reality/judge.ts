import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Receipt } from '../../packages/warrenmq/src/recovery/receipt/receipt.ts'
import type { Evidence, Violation } from '../check/evidence.ts'
import { readDiscarded } from '../check/read-discarded.ts'
import type { FoundMessage } from './drain-queues.ts'
import type { SeededEntry } from './journal.ts'
import { stillQueue } from './plan-world.ts'

/** What became of the messages of one world or of many, in the words of RabbitMQ's Jepsen tests. */
export interface Counts {
  /** Confirmed, and nowhere. */
  lost: number
  /** Without a confirm, and there all the same. */
  recovered: number
  /** There, though nobody published it. */
  unexpected: number
  /** There or handled more often than it was published. */
  duplicated: number
}

export interface Judgement {
  readonly counts: Counts
  readonly duplicatesAllowed: number
  readonly messages: { sent: number; confirmed: number; handled: number; queued: number; sealed: number }
  readonly receipts: { checked: number; exact: number; restores: number; false: number }
  readonly violations: readonly Violation[]
}

export interface Findings {
  readonly entries: readonly SeededEntry[]
  readonly found: readonly FoundMessage[]
  /** Ids that are in files of discards and were not put back. */
  readonly sealed: ReadonlySet<string>
  readonly maxAttempts: number
  readonly duplicatesAllowed: number
}

interface Life {
  sent: number
  confirmed: number
  succeeded: number
  queued: number
}

export function judge(findings: Findings): Judgement {
  const { entries, found, sealed, duplicatesAllowed } = findings
  const violations: Violation[] = []
  const lives = readLives(entries, found)
  const counts: Counts = { lost: 0, recovered: 0, unexpected: 0, duplicated: 0 }
  for (const [id, { sent, confirmed, succeeded, queued }] of lives) {
    const isThere = succeeded > 0 || queued > 0 || sealed.has(id)
    if (confirmed > 0 && !isThere) {
      counts.lost += 1
      violations.push({ rule: 'nothing-lost', detail: `${id}: ${storyOf(id, entries)}` })
    }
    if (sent > 0 && confirmed === 0 && isThere) counts.recovered += 1
    if (sent === 0) {
      counts.unexpected += 1
      violations.push({ rule: 'nothing-made-up', detail: `${id} was never published` })
    }
    counts.duplicated += Math.max(0, succeeded + queued - Math.max(1, sent))
  }
  if (counts.duplicated > duplicatesAllowed)
    violations.push({ rule: 'duplicates', detail: `${counts.duplicated}, at most ${duplicatesAllowed}` })
  const receipts = judgeReceipts(findings, violations)
  judgeAttempts(findings, violations)
  for (const entry of entries)
    if (entry.what === 'crash')
      violations.push({ rule: 'no-crash', detail: `${entry.actor}: ${entry.stack}` })
  const all = [...lives.values()]
  return {
    counts,
    duplicatesAllowed,
    receipts,
    violations,
    messages: {
      sent: all.reduce((sum, { sent }) => sum + sent, 0),
      confirmed: all.filter(({ confirmed }) => confirmed > 0).length,
      handled: all.filter(({ succeeded }) => succeeded > 0).length,
      queued: found.length,
      sealed: sealed.size,
    },
  }
}

function readLives(entries: readonly SeededEntry[], found: readonly FoundMessage[]): Map<string, Life> {
  const lives = new Map<string, Life>()
  const life = (id: string): Life => {
    const known = lives.get(id) ?? { sent: 0, confirmed: 0, succeeded: 0, queued: 0 }
    lives.set(id, known)
    return known
  }
  for (const entry of entries) {
    if (entry.what === 'sent') life(entry.id).sent += 1
    if (entry.what === 'confirmed') life(entry.id).confirmed += 1
    if (entry.what === 'end' && entry.step === 'succeed') life(entry.id).succeeded += 1
  }
  for (const { id } of found) life(id ?? 'a message without an id').queued += 1
  return lives
}

/** What the journals know of a message, for whoever has to find out. */
function storyOf(id: string, entries: readonly SeededEntry[]): string {
  return entries
    .filter((entry) => 'id' in entry && entry.id === id)
    .map(
      (entry) =>
        `${entry.actor} ${JSON.stringify({ ...entry, seed: undefined, actor: undefined, id: undefined })}`,
    )
    .join('; ')
}

function judgeAttempts({ entries, maxAttempts }: Findings, violations: Violation[]): void {
  for (const entry of entries)
    if (entry.what === 'run' && entry.attempt > maxAttempts)
      violations.push({
        rule: 'attempts',
        detail: `${entry.id} has attempt ${entry.attempt} of ${maxAttempts}`,
      })
}

function judgeReceipts({ entries, found }: Findings, violations: Violation[]): Judgement['receipts'] {
  const receipts = { checked: 0, exact: 0, restores: 0, false: 0 }
  const blame = (problem: string | undefined, what: object): void => {
    if (problem === undefined) return
    receipts.false += 1
    violations.push({ rule: 'receipts', detail: `${problem}; ${JSON.stringify(what)}` })
  }
  for (const entry of entries) {
    if (entry.what === 'restore') {
      receipts.restores += 1
      const { records, restored, restoredBefore, alreadyThere, notRemoved, failed } = entry.report
      const sum = restored + restoredBefore + alreadyThere + notRemoved + failed
      blame(sum === records ? undefined : `the sum of a restore is ${sum}`, entry.report)
    }
    if (entry.what !== 'receipt') continue
    receipts.checked += 1
    if (entry.still) receipts.exact += 1
    const problem = entry.still
      ? findExactProblem(entry.receipt, found)
      : findProblem(entry.receipt, { entries, found })
    blame(problem, { ...entry.receipt, causes: undefined, digest: undefined, request: undefined })
  }
  return receipts
}

/** Nobody takes anything from the still queue, so that every copy of every re-drive is there to be counted. */
function findExactProblem(receipt: Receipt, found: readonly FoundMessage[]): string | undefined {
  const { published = 0, unanswered = 0, acksInDoubt = 0, moved, duplicatesPossible } = receipt
  const arrived = found.filter(({ queue, redrive }) => queue === stillQueue && redrive === receipt.id).length
  if (arrived < published) return `only ${arrived} copies arrived`
  if (arrived > published + unanswered) return `${arrived} copies arrived`
  if (moved > arrived) return `it moved more than the ${arrived} that arrived`
  if (arrived - moved - acksInDoubt > duplicatesPossible)
    return `${arrived} copies arrived, more than moved, in doubt and possibly twice`
  return findWrongSum(receipt)
}

/** What came to consumers or lies in a queue with its number was published by it. */
function findProblem(
  receipt: Receipt,
  { entries, found }: { entries: readonly SeededEntry[]; found: readonly FoundMessage[] },
): string | undefined {
  const { published = 0, unanswered = 0 } = receipt
  const seen = new Set<string | undefined>()
  for (const entry of entries) if (entry.what === 'run' && entry.redrive === receipt.id) seen.add(entry.id)
  for (const { id, redrive } of found) if (redrive === receipt.id) seen.add(id)
  if (seen.size > published + unanswered) return `${seen.size} of its messages were seen`
  return findWrongSum(receipt)
}

function findWrongSum({ present, moved, failed, kept, stillThere }: Receipt): string | undefined {
  return present === moved + failed + kept + stillThere ? undefined : 'its sum is wrong'
}

/** What the files of a world's discards hold and nobody has put back, read block by block. */
export function readSealed(folder: string, seed: number): ReadonlySet<string> {
  const names = readdirSync(folder).filter((name) => name.startsWith(`${seed}-`) && name.endsWith('.backup'))
  const backups = new Set(names.map((name) => join(folder, name)))
  const files = { peek: (file: string) => (existsSync(file) ? readFileSync(file) : Buffer.alloc(0)) }
  return readDiscarded({ ledger: { backups }, universe: { files } } as unknown as Evidence)
}
