import { formatCounted } from '../../message/format-counted.ts'
import type { Receipt } from './receipt.ts'

/** What a second look at the broker found of a re-drive. */
export interface ReceiptFindings {
  /** Ready in the dead-letter queue now. */
  readonly depth: number
  /** Messages of this re-drive, by the id that it wrote into each, and where. Undefined: not looked at. */
  readonly places: readonly FoundPlace[]
  /** Over the ids and bodies of those found. */
  readonly digest: string
}

export interface FoundPlace {
  readonly queue: string
  readonly role: 'dead-letter queue' | 'target'
  /** Undefined: not looked at. */
  readonly found: number | undefined
  /** Why none or not all of it was looked at. */
  readonly why?: string | undefined
}

/** One check of a receipt. */
export interface ReceiptCheck {
  /** What was checked: the sums of the receipt, its balance, what is left in the queue, what was moved, the digest. */
  readonly name: 'sums' | 'balance' | 'left' | 'moved' | 'digest'
  /** `unknown`: the broker cannot tell any more, or was not asked. */
  readonly verdict: Verdict
  /** What was found, in a sentence. */
  readonly detail: string
  /** Something that was to be looked at could not be. */
  readonly isUnchecked?: boolean
  /** It holds whatever the broker has, so it proves nothing. */
  readonly isEmpty?: boolean
}

/** What a check came to. */
export type Verdict = 'holds' | 'broken' | 'unknown'

/**
 * What the checks say together. `unknown`: nothing speaks against it, but it could not be checked: the queue was not
 * counted or could not be looked at, or the broker has nothing left of it.
 * @example
 * ```ts
 * const verdict = decideVerdict(await verifyReceipt(receipt, { ...broker, by: 'ann' }))
 * ```
 */
export function decideVerdict(checks: readonly ReceiptCheck[]): Verdict {
  if (checks.some(({ verdict }) => verdict === 'broken')) return 'broken'
  const isOpen = checks.some(({ isUnchecked = false }) => isUnchecked)
  const isSeen = checks.some(
    ({ name, verdict, isEmpty }) => atBroker.includes(name) && verdict === 'holds' && !isEmpty,
  )
  return isSeen && !isOpen ? 'holds' : 'unknown'
}

const atBroker: readonly ReceiptCheck['name'][] = ['left', 'moved', 'digest']

/** Checks a receipt against itself and against what the broker holds now. */
export function decideReceipt(receipt: Receipt, findings: ReceiptFindings): readonly ReceiptCheck[] {
  return [
    checkSums(receipt),
    checkBalance(receipt),
    checkLeft(receipt, findings),
    ...checkMoved(receipt, findings),
  ]
}

function checkSums(receipt: Receipt): ReceiptCheck {
  const { present, moved, failed, kept, stillThere } = receipt
  // By target and cause it counts publishes. There are more publishes than moves if some messages had to go twice.
  const { published = moved } = receipt
  const wrong = [
    ...(present === moved + failed + kept + stillThere ? [] : ['present']),
    ...(sum(receipt.targets.map((target) => target.moved)) === published ? [] : ['targets']),
    ...(sum(receipt.causes.map((cause) => cause.moved)) === published ? [] : ['causes']),
    ...(sum(receipt.failures.map(({ count }) => count)) === failed ? [] : ['failures']),
    ...(sum(receipt.keptBecause.map(({ count }) => count)) === kept ? [] : ['keptBecause']),
  ]
  const equation = `${present} = ${moved} moved + ${failed} failed + ${kept} kept + ${stillThere} still there`
  if (wrong.length === 0) return { name: 'sums', verdict: 'holds', detail: equation }
  return { name: 'sums', verdict: 'broken', detail: `${wrong.join(', ')} do not add up: ${equation}` }
}

function checkBalance({ isBalanced, isCounted = true, missing }: Receipt): ReceiptCheck {
  if (!isCounted) {
    const detail = 'the broker was away when the run ended, so the queue was not counted'
    return { name: 'balance', verdict: 'unknown', detail, isUnchecked: true }
  }
  return isBalanced
    ? { name: 'balance', verdict: 'holds', detail: 'the queue held what it should when the run ended' }
    : {
        name: 'balance',
        verdict: 'broken',
        detail: `${formatCounted(missing, 'message')} missing when the run ended`,
      }
}

/** What was left may have been worked on since, so fewer prove nothing; as many as it says prove it. */
function checkLeft(receipt: Receipt, { depth }: ReceiptFindings): ReceiptCheck {
  const { queue, failed, kept, stillThere, movedAside = 0 } = receipt
  const left = failed + kept + stillThere - movedAside
  const detail = `${depth} in ${queue} now, ${left} were left there`
  return {
    name: 'left',
    verdict: depth >= left ? 'holds' : 'unknown',
    detail,
    ...(left === 0 && { isEmpty: true }),
  }
}

function checkMoved(receipt: Receipt, { places, digest }: ReceiptFindings): readonly ReceiptCheck[] {
  const { moved, duplicatesPossible } = receipt
  const found = sum(places.map((place) => place.found ?? 0))
  const detail = `${moved} were moved; of these ${places.map(describePlace).join(', ')}`
  if (found > moved + duplicatesPossible) return [{ name: 'moved', verdict: 'broken', detail }]
  if (found < moved) {
    const rest = `${detail}; the rest was handled, or is in a queue that was not checked`
    const isUnchecked = places.some(({ found: some, why }) => some === undefined || why !== undefined)
    return [{ name: 'moved', verdict: 'unknown', detail: rest, ...(isUnchecked && { isUnchecked }) }]
  }
  return [{ name: 'moved', verdict: 'holds', detail }, ...checkDigest(receipt, digest, found)]
}

function describePlace({ queue, found, why }: FoundPlace): string {
  return `${found ?? 'not looked at'} in ${queue}${why === undefined ? '' : ` (${why.replace(/\.$/, '')})`}`
}

/** Only of the whole set, each once, is the digest the same. What went twice is in it twice. */
function checkDigest(
  { moved, published = moved, digest }: Receipt,
  found: string,
  count: number,
): readonly ReceiptCheck[] {
  if (count !== moved || published !== moved) return []
  const check = (verdict: ReceiptCheck['verdict'], detail: string) => [
    { name: 'digest', verdict, detail } as const,
  ]
  if (digest === null)
    return check('unknown', 'the receipt was made for a caller who may not see payloads, so it has no digest')
  return found === digest
    ? check('holds', `they are exactly the messages that were moved (${digest})`)
    : check('broken', `other ids or bodies than were moved: ${found}, not ${digest}`)
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}
