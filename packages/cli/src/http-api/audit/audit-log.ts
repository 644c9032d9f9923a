import { randomUUID } from 'node:crypto'
import { ChannelError } from 'warrenmq'
import {
  ApiError,
  createPublisher,
  createTurns,
  inspectQueue,
  type SessionPair,
  steadyClock,
} from 'warrenmq/operations'
import type { AuditRecord, ListedAuditRecord } from '../contract/contract.ts'
import { declareStream, type StreamEntry } from '../records/follow-stream.ts'
import { auditStream } from '../records/own-streams.ts'
import { createRecordSeals } from '../records/record-seals.ts'
import { sealMessage } from '../records/seal-message.ts'
import type { ServerKeys } from '../records/server-keys.ts'
import type { Strays } from '../records/strays.ts'
import type { AuditVerdict, CheckOptions, KeptRecord } from './audit-check.ts'
import type { AuditReader } from './audit-reader.ts'
import { type AuditEntry, type ChainEnd, chainRecord, isAuditRecord, noRecord } from './audit-record.ts'
import { followLog } from './follow-log.ts'
import { type AuditPlace, planNextPage, planPage } from './plan-page.ts'
import { readOldest, readRange } from './read-range.ts'
import { createReaderBook } from './reader-book.ts'
import { type AuditSearch, searchLog } from './search-log.ts'
import { verifyStream } from './verify-stream.ts'

export interface AuditLog {
  /** Resolves when the broker has it. Throws where it has not: then do not do what it was to record. */
  write(entry: AuditEntry): Promise<AuditRecord>
  /** The newest so many, the newest last; the very last is that it was read, and by whom. */
  read(limit: number, reader: AuditReader): Promise<readonly ListedAuditRecord[]>
  /** One page, of all or of what is looked for. That it is read is written down first, unless that was done of late. */
  readPage(place: AuditPlace, reader: AuditReader, search?: AuditSearch): Promise<AuditSlice>
  /** Reads all of it, and judges seals where there is a key. */
  verify(reader: AuditReader, options?: VerifyOptions): Promise<AuditVerdict>
  /** The newest record that has come by; whoever keeps it elsewhere can prove later that it is still there. */
  newest(): KeptRecord | undefined
  /** Records are signed by a key that servers share. */
  readonly isSigned: boolean
  close(): Promise<void>
}

export type VerifyOptions = Pick<CheckOptions, 'kept' | 'unsignedBefore'>

/** A part of the log, in the order of the stream. */
export interface AuditSlice {
  readonly records: readonly ListedAuditRecord[]
  /** What stands among them and is no record of ours; `verify` says where. */
  readonly unreadable: number
  /** Where the page before it ends; null at the beginning of the log. */
  readonly next: number | null
}

export interface AuditSessions extends SessionPair {
  /** How long a record may wait for its turn, and then for its confirm. @default 10 s */
  readonly deadlineMs?: number
  /** What records are signed with. One that nobody else has proves nothing to anybody, and is not used. @default none */
  readonly keys?: ServerKeys | undefined
  /** Told what others put into the log while it is open. */
  readonly strays?: Pick<Strays, 'found'> | undefined
}

/** Opens the log; the stream is declared if it is missing. */
export async function openAuditLog(sessions: AuditSessions): Promise<AuditLog> {
  await declareStream(sessions.consuming, auditStream)
  return openStream(sessions)
}

/** Opens the log that the broker has; undefined where it has none. */
export async function findAuditLog(sessions: AuditSessions): Promise<AuditLog | undefined> {
  const channel = await sessions.consuming.openChannel()
  try {
    await inspectQueue(channel, auditStream)
    await channel.close()
  } catch (error) {
    if (error instanceof ChannelError && error.replyCode === 404) return undefined
    throw error
  }
  return openStream(sessions)
}

async function openStream(sessions: AuditSessions): Promise<AuditLog> {
  const { consuming, publishing, keys, strays, deadlineMs = usualDeadlineMs } = sessions
  const place = { vhost: consuming.vhost, stream: auditStream }
  const seals = keys?.isShared ? createRecordSeals(keys, place) : undefined
  const publisher = createPublisher(publishing, { deadlineMs, resend: true })
  const turns = createTurns()
  const readers = createReaderBook()
  let end = beginChain()
  const follower = await followLog({
    session: consuming,
    stream: auditStream,
    seals,
    strays,
    writer: () => end.writer,
  })

  const write: AuditLog['write'] = (entry) => {
    const askedAtMs = steadyClock.now()
    return turns.take(async () => {
      // Where the broker takes nothing, each one before us has waited for as long as it may.
      if (steadyClock.now() - askedAtMs > deadlineMs)
        throw unavailable('The audit log accepts no records right now, so nothing was done. Try again.')
      const at = new Date().toISOString()
      const record = chainRecord(entry, { end, seen: follower.newestOfOthers(), at })
      const result = await publisher.publish(
        sealMessage(seals, { stream: auditStream, type: record.action, record }),
      )
      // Whether the stream has it is unknown, so nothing may follow it: the next begins a chain of its own.
      end = result.kind === 'confirmed' ? record : beginChain()
      if (result.kind === 'confirmed') return record
      throw unavailable('The audit log did not accept the record, so nothing was done. Try again.')
    })
  }

  /** How many messages a stream has is told late by RabbitMQ 4. Our own record tells where the end is. */
  async function findEnd(reader: AuditReader): Promise<number> {
    const last = await write({ ...reader, ...readingEntry })
    const offset = await follower.locate(last.hash, mostSilentMs)
    if (offset === undefined) throw unavailable('The audit log cannot be read right now. Try again.')
    readers.add(reader)
    return offset
  }

  /** The same for who polls, without a record: where what has come by ends, with all that was written here. */
  async function findEndAgain(reader: AuditReader): Promise<number> {
    const last = end
    if (!readers.isKnown(reader) || last.number === 0) return findEnd(reader)
    await follower.locate(last.hash, mostSilentMs)
    return follower.end() ?? findEnd(reader)
  }

  const read = (range: { readonly from: number; readonly to: number }): Promise<readonly StreamEntry[]> =>
    readRange(consuming, { stream: auditStream, seals, ...range })

  async function readPage(place: AuditPlace, reader: AuditReader, search?: AuditSearch): Promise<AuditSlice> {
    const newest = await findEndAgain(reader)
    if (search) return find(place, search, newest)
    const range = planPage(place, newest)
    const entries = await read(range)
    const records = entries.flatMap(listRecord)
    const next = range.from === 0 ? null : await findNext(range.from)
    return { records, unreadable: entries.length - records.length, next }
  }

  async function find(place: AuditPlace, search: AuditSearch, newest: number): Promise<AuditSlice> {
    const { records, unreadable, from } = await searchLog(place, search, {
      end: newest,
      read: async (range) =>
        (await read(range)).map((entry) => ({ offset: entry.offset, record: listRecord(entry)[0] })),
    })
    const next = from === null || from === 0 ? null : await findNext(from)
    return { records: records.toReversed(), unreadable, next }
  }

  async function findNext(from: number): Promise<number | null> {
    return planNextPage({ from, oldest: await readOldest(consuming, auditStream) })
  }

  return {
    write,
    readPage,
    read: async (limit, reader) => (await readPage({ limit }, reader)).records,
    isSigned: seals !== undefined,
    newest: follower.newest,
    verify: async (reader, options) =>
      verifyStream(consuming, { stream: auditStream, to: await findEnd(reader), seals, ...options }),
    close: async () => {
      await Promise.all([follower.close(), publisher.close()])
    },
  }
}

function listRecord({ value, proof }: StreamEntry): ListedAuditRecord[] {
  return isAuditRecord(value) ? [{ ...value, isSigned: proof.kind === 'signed' }] : []
}

const readingEntry = {
  action: 'audit.read',
  target: auditStream,
  reason: null,
  result: 'read',
  receiptDigest: null,
}

function beginChain(): ChainEnd {
  return { writer: randomUUID(), number: 0, hash: noRecord }
}

function unavailable(message: string): ApiError {
  return new ApiError({ code: 'AUDIT_UNAVAILABLE', message })
}

const usualDeadlineMs = 10_000
/** How long the broker may take to give back what it was given. */
const mostSilentMs = 10_000
