import type { AuditRecord } from '../contract.ts'
import { hashRecord, isAuditRecord, noRecord } from './audit-record.ts'

export type AuditVerdict =
  | {
      readonly kind: 'whole'
      readonly records: number
      readonly writers: number
      /** The hash of the newest. Whoever keeps it can tell later that nothing up to here was cut off. */
      readonly newest: string | null
      /** The stream no longer has its beginning. */
      readonly isCut: boolean
    }
  | { readonly kind: 'broken'; readonly at: number; readonly problem: string }

/** One entry of the stream. */
export interface CheckedEntry {
  readonly offset: number
  readonly value: unknown
}

/** A record that is named by another one and too long ago to be remembered: it has to be read again. */
export interface OpenQuestion {
  /** Which record names it. */
  readonly at: number
  readonly hash: string
  readonly offset: number
}

export interface AuditCheck {
  /** Takes the entries of the stream in their order. `ask`: answer the questions first. `broken`: no more is of use. */
  take(entry: CheckedEntry): 'next' | 'ask' | 'broken'
  /** Those that were not answered so far. Also to be answered at the end. */
  takeQuestions(): readonly OpenQuestion[]
  /** @param isThere whether the record that was asked for is where it should be */
  answer(question: OpenQuestion, isThere: boolean): void
  verdict(): AuditVerdict
}

/** So many hashes are remembered. Writers name the newest record of others, which is mostly a few records ago. */
const mostRemembered = 50_000
/** So many questions are answered before anything else is read. */
const mostQuestions = 1_000

/** What was read so far: of each writer its last record, and of the rest the newest. */
interface Known {
  readonly lastOf: Map<string, Pick<AuditRecord, 'number' | 'hash'>>
  readonly recent: Set<string>
  readonly firstOffset: number
  /** There were more than are remembered. */
  hasForgotten: boolean
}

/**
 * Proves the records of the stream in one pass. What it remembers does not grow with the log, only with the number of
 * its writers, each of which may go on at any time. A record sent twice counts once: a lost confirm makes a copy.
 * @param kept the hash of a record that must be there
 * @param remembered how many records are remembered besides the last of each writer
 */
export function createAuditCheck(kept?: string, remembered: number = mostRemembered): AuditCheck {
  let known: Known | undefined
  let records = 0
  let newest: string | null = null
  let isKeptThere = kept === undefined
  let broken: Extract<AuditVerdict, { kind: 'broken' }> | undefined
  let questions = new Map<string, OpenQuestion>()

  function breakAt(at: number, problem: string): 'broken' {
    if (!broken || at < broken.at) broken = { kind: 'broken', at, problem }
    return 'broken'
  }

  return {
    take: ({ offset, value }) => {
      if (broken) return 'broken'
      known ??= { lastOf: new Map(), recent: new Set(), firstOffset: offset, hasForgotten: false }
      const at = records
      records += 1
      if (!isAuditRecord(value)) return breakAt(at, 'It is no record of Warren.')
      const problem = findProblem(value, known)
      if (problem !== undefined) return breakAt(at, problem)
      const question = findQuestion(value, { known, at, offset })
      if (question === 'impossible') return breakAt(at, missing(value.after))
      if (question) questions.set(question.hash, questions.get(question.hash) ?? question)
      remember(value, known, remembered)
      isKeptThere ||= value.hash === kept
      newest = value.hash
      return questions.size < mostQuestions ? 'next' : 'ask'
    },
    takeQuestions: () => {
      const asked = [...questions.values()]
      questions = new Map()
      return asked
    },
    answer: ({ at, hash }, isThere) => {
      if (!isThere) breakAt(at, missing(hash))
    },
    verdict: () => {
      if (broken) return broken
      if (!isKeptThere)
        return { kind: 'broken', at: records, problem: `The record ${kept} is not there any more.` }
      const writers = known?.lastOf.size ?? 0
      return { kind: 'whole', records, writers, newest, isCut: (known?.firstOffset ?? 0) > 0 }
    },
  }
}

function remember({ writer, number, hash }: AuditRecord, known: Known, most: number): void {
  const { lastOf, recent } = known
  lastOf.set(writer, { number, hash })
  recent.add(hash)
  if (recent.size <= most) return
  const [oldest] = recent
  recent.delete(oldest!)
  known.hasForgotten = true
}

function findProblem(record: AuditRecord, { lastOf, firstOffset }: Known): string | undefined {
  if (hashRecord(record) !== record.hash) return 'It was changed: its hash is not that of its fields.'
  const last = lastOf.get(record.writer)
  if (last?.hash === record.hash) return undefined
  return findGap(record, { last, isCut: firstOffset > 0 })
}

/** Between the records of one writer. */
function findGap(
  record: AuditRecord,
  { last, isCut }: { last: Pick<AuditRecord, 'number' | 'hash'> | undefined; isCut: boolean },
): string | undefined {
  if (last) {
    const isNext = record.number === last.number + 1 && record.previous === last.hash
    return isNext
      ? undefined
      : `Record ${last.number + 1} of the same writer is missing, changed or out of order.`
  }
  if (isCut) return undefined
  const isFirst = record.number === 1 && record.previous === noRecord
  return isFirst ? undefined : 'The first records of its writer are missing.'
}

/** Where a record of another writer is to be looked for; undefined where it is known or cut off. */
function findQuestion(
  { after, afterOffset }: AuditRecord,
  { known, at, offset }: { readonly known: Known; readonly at: number; readonly offset: number },
): OpenQuestion | 'impossible' | undefined {
  if (after === null || known.recent.has(after)) return undefined
  const place = afterOffset ?? 0
  if (place < known.firstOffset) return undefined
  const isNowhere = !known.hasForgotten || place >= offset
  return isNowhere ? 'impossible' : { at, hash: after, offset: place }
}

function missing(hash: string | null): string {
  return `The record ${hash} of another writer, which its writer had seen, is missing, changed or out of order.`
}
