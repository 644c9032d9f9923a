import type { AuditRecord } from '../contract/contract.ts'
import type { Proof } from '../records/record-seals.ts'
import { hashRecord, isAuditRecord, noRecord } from './audit-record.ts'

/** What a log proves, and what it does not. */
export interface AuditVerdict {
  /** `broken`: at least one problem. */
  readonly kind: 'whole' | 'broken'
  readonly records: number
  readonly writers: number
  /** Whether seals could be judged: without a key of the servers anybody who may write can forge a log that is whole. */
  readonly isKeyed: boolean
  /** Of the records, so many were written by somebody with the key. */
  readonly signed: number
  /** So many were not, or with a key that was not given. */
  readonly unsigned: number
  /** What stands in the stream besides, and is no record of Warren. */
  readonly foreign: number
  /** The hash of the newest. Whoever keeps it can tell later that nothing up to here was cut off. */
  readonly newest: string | null
  readonly newestOffset: number | null
  /** Where the first signed record stands. */
  readonly firstSigned: number | null
  /** The stream no longer has its beginning. */
  readonly isCut: boolean
  readonly problemCount: number
  /** The first of them. */
  readonly problems: readonly AuditProblem[]
}

export interface AuditProblem {
  /** Which entry of the stream, counted from 0; as many as were read where something is missing at the end. */
  readonly at: number
  readonly problem: string
}

/** One entry of the stream. */
export interface CheckedEntry {
  readonly offset: number
  readonly value: unknown
  readonly proof: Proof
}

/** A record that must be there. */
export interface KeptRecord {
  readonly hash: string
  /** Where it stood; with it, one that RabbitMQ has cut off the beginning since is not missed. */
  readonly offset?: number | undefined
}

export interface CheckOptions {
  readonly kept?: readonly KeptRecord[] | undefined
  /** The key was given, so that records which are not signed are told. @default false */
  readonly isKeyed?: boolean | undefined
  /** Up to this offset nobody signed, or what was not is known: it is counted and no problem. @default 0 */
  readonly unsignedBefore?: number | undefined
  /** How many records are remembered besides the last of each writer. @default 50000 */
  readonly remembered?: number | undefined
}

/** A record that is named by another one and too long ago to be remembered: it has to be read again. */
export interface OpenQuestion {
  /** Which entry names it. */
  readonly at: number
  readonly hash: string
  readonly offset: number
}

export interface AuditCheck {
  /** Takes the entries of the stream in their order. `ask`: answer the questions first. */
  take(entry: CheckedEntry): 'next' | 'ask'
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
/** So many problems are told one by one. */
const mostProblems = 20

/** What was read so far: of each writer its last record, and of the rest the newest. */
interface Known {
  readonly lastOf: Map<string, Pick<AuditRecord, 'number' | 'hash'>>
  readonly recent: Set<string>
  readonly firstOffset: number
  /** There were more than are remembered. */
  hasForgotten: boolean
}

/**
 * Proves the records of the stream in one pass, past whatever does not belong there. What it remembers does not grow with
 * the log, only with the number of its writers, each of which may go on at any time. A record sent twice counts once: a
 * lost confirm makes a copy.
 */
export function createAuditCheck(options: CheckOptions = {}): AuditCheck {
  const { kept = [], isKeyed = false, unsignedBefore = 0, remembered = mostRemembered } = options
  const missingKept = new Map(kept.map((each) => [each.hash, each]))
  const counts = { entries: 0, records: 0, signed: 0, unsigned: 0, foreign: 0, problems: 0 }
  const problems: AuditProblem[] = []
  let known: Known | undefined
  let newest: KeptRecord | undefined
  let firstSigned: number | null = null
  let questions = new Map<string, OpenQuestion>()

  function tell(at: number, problem: string | undefined): void {
    if (problem === undefined) return
    counts.problems += 1
    problems.push({ at, problem })
    problems.sort((one, other) => one.at - other.at)
    if (problems.length > mostProblems) problems.pop()
  }

  /** Undefined where the entry is none that a chain can go by. */
  function admit({ offset, value, proof }: CheckedEntry, at: number): AuditRecord | undefined {
    const isKnown = offset < unsignedBefore
    if (!isAuditRecord(value)) {
      counts.foreign += 1
      tell(at, isKnown ? undefined : 'It is not a record of Warren.')
      return undefined
    }
    counts.records += 1
    if (hashRecord(value) !== value.hash) {
      tell(at, 'It was changed: its hash does not match its fields.')
      return undefined
    }
    remember(value.hash, known!, remembered)
    if (proof.kind === 'signed') {
      counts.signed += 1
      firstSigned ??= offset
      return value
    }
    counts.unsigned += 1
    if (!isKeyed || isKnown) return value
    tell(at, whyUnproved(proof))
    return undefined
  }

  function follow(record: AuditRecord, { at, offset }: { at: number; offset: number }): void {
    const { lastOf, firstOffset } = known!
    const { writer, number, hash } = record
    const last = lastOf.get(writer)
    if (last?.hash !== hash) tell(at, findGap(record, { last, isCut: firstOffset > 0 }))
    // One that is older than what was read of its writer was moved here, or is a copy.
    if (!last || number > last.number) lastOf.set(writer, { number, hash })
    const question = findQuestion(record, { known: known!, at, offset })
    if (question === 'impossible') tell(at, missing(record.after))
    else if (question && !questions.has(question.hash)) questions.set(question.hash, question)
    missingKept.delete(hash)
    newest = { hash, offset }
  }

  return {
    take: (entry) => {
      const { offset } = entry
      known ??= { lastOf: new Map(), recent: new Set(), firstOffset: offset, hasForgotten: false }
      const at = counts.entries
      counts.entries += 1
      const record = admit(entry, at)
      if (record) follow(record, { at, offset })
      return questions.size < mostQuestions ? 'next' : 'ask'
    },
    takeQuestions: () => {
      const asked = [...questions.values()]
      questions = new Map()
      return asked
    },
    answer: ({ at, hash }, isThere) => {
      if (!isThere) tell(at, missing(hash))
    },
    verdict: () => {
      const firstOffset = known?.firstOffset ?? 0
      for (const { hash, offset = firstOffset } of missingKept.values())
        if (offset >= firstOffset) tell(counts.entries, `The record ${hash} is no longer there.`)
      missingKept.clear()
      const { records, signed, unsigned, foreign, problems: problemCount } = counts
      return {
        kind: problemCount === 0 ? 'whole' : 'broken',
        records,
        writers: known?.lastOf.size ?? 0,
        isKeyed,
        signed,
        unsigned,
        foreign,
        firstSigned,
        newest: newest?.hash ?? null,
        newestOffset: newest?.offset ?? null,
        isCut: firstOffset > 0,
        problemCount,
        problems: [...problems],
      }
    },
  }
}

function whyUnproved(proof: Proof): string {
  if (proof.kind === 'unsigned')
    return 'It is not signed: it was written without the key of the servers, or by a server of 0.1.'
  const { key } = proof as { readonly key?: string | undefined }
  return key === undefined
    ? 'Its seal is forged, or belongs to another record or stream.'
    : `It is signed with the key ${key}, which was not given.`
}

function remember(hash: string, known: Known, most: number): void {
  const { recent } = known
  recent.add(hash)
  if (recent.size <= most) return
  const [oldest] = recent
  recent.delete(oldest!)
  known.hasForgotten = true
}

/** Between the records of one writer. */
function findGap(
  record: AuditRecord,
  { last, isCut }: { last: Pick<AuditRecord, 'number' | 'hash'> | undefined; isCut: boolean },
): string | undefined {
  if (last) {
    if (record.number <= last.number)
      return 'It comes after later records of its writer: it was moved here, or is a copy.'
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
