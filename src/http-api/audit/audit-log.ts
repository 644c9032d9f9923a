import { randomUUID } from 'node:crypto'
import { inspectQueue } from '../../broker/amqp/operations.ts'
import type { Session } from '../../broker/amqp/session.ts'
import { createTurns } from '../../broker/amqp/turns.ts'
import { ApiError, ChannelError } from '../../errors.ts'
import { Publisher } from '../../publisher/publisher.ts'
import type { AuditRecord } from '../contract.ts'
import { declareStream } from '../follow-stream.ts'
import { type AuditEntry, type ChainEnd, chainRecord, isAuditRecord, noRecord } from './audit-record.ts'
import { followLog } from './follow-log.ts'
import { type AuditPlace, planNextPage, planPage } from './plan-page.ts'
import { readOldest, readRange } from './read-range.ts'
import type { AuditVerdict } from './verify-audit.ts'
import { verifyStream } from './verify-stream.ts'

/** The stream that all replicas and the command line share. */
export const auditStream = 'warren.audit'

export interface AuditLog {
  /** Resolves when the broker has it. Throws where it has not: then do not do what it was to record. */
  write(entry: AuditEntry): Promise<AuditRecord>
  /** The newest so many, the newest last; the very last is that it was read, and by whom. */
  read(limit: number, reader: AuditReader): Promise<readonly AuditRecord[]>
  /** One page; that it was read is written down first, and is the newest of all. */
  readPage(place: AuditPlace, reader: AuditReader): Promise<AuditSlice>
  /** Reads all of it. @param kept the hash of a record that must be there */
  verify(reader: AuditReader, kept?: string): Promise<AuditVerdict>
  close(): Promise<void>
}

/** A part of the log, in the order of the stream. */
export interface AuditSlice {
  readonly records: readonly AuditRecord[]
  /** What stands among them and is no record of ours; `verify` says where. */
  readonly unreadable: number
  /** Where the page before it ends; null at the beginning of the log. */
  readonly next: number | null
}

export interface AuditLines {
  readonly consuming: Session
  readonly publishing: Session
  /** How long a record may wait for its turn, and then for its confirm. @default 10 s */
  readonly deadlineMs?: number
}

/** Opens the log; the stream is declared if it is missing. */
export async function openAuditLog(lines: AuditLines): Promise<AuditLog> {
  await declareStream(lines.consuming, auditStream)
  return openStream(lines)
}

/** Opens the log that the broker has; undefined where it has none. */
export async function findAuditLog(lines: AuditLines): Promise<AuditLog | undefined> {
  const channel = await lines.consuming.openChannel()
  try {
    await inspectQueue(channel, auditStream)
    await channel.close()
  } catch (error) {
    if (error instanceof ChannelError && error.replyCode === 404) return undefined
    throw error
  }
  return openStream(lines)
}

async function openStream(lines: AuditLines): Promise<AuditLog> {
  const { consuming, publishing, deadlineMs = usualDeadlineMs } = lines
  const publisher = new Publisher(publishing, { deadlineMs, resend: true })
  const turns = createTurns()
  let end = beginChain()
  const follower = await followLog(consuming, auditStream, () => end.writer)

  const write: AuditLog['write'] = (entry) => {
    const askedAtMs = Date.now()
    return turns.take(async () => {
      // Where the broker takes nothing, each one before us has waited for as long as it may.
      if (Date.now() - askedAtMs > deadlineMs)
        throw unavailable('The audit log takes no records now, so nothing was done. Try again.')
      const at = new Date().toISOString()
      const record = chainRecord(entry, { end, seen: follower.newestOfOthers(), at })
      const result = await publisher.publish({ key: auditStream, body: record, type: record.action })
      // Whether the stream has it is unknown, so nothing may follow it: the next begins a chain of its own.
      end = result.kind === 'confirmed' ? record : beginChain()
      if (result.kind === 'confirmed') return record
      throw unavailable('The audit log did not take the record, so nothing was done. Try again.')
    })
  }

  /** How many messages a stream has is told late by RabbitMQ 4. Our own record tells where the end is. */
  async function findEnd(reader: AuditReader): Promise<number> {
    const last = await write({ ...reader, ...readingEntry })
    const offset = await follower.locate(last.hash, mostSilentMs)
    if (offset === undefined) throw unavailable('The audit log is not delivered. Try again.')
    return offset
  }

  async function readPage(place: AuditPlace, reader: AuditReader): Promise<AuditSlice> {
    const range = planPage(place, await findEnd(reader))
    const entries = await readRange(consuming, { stream: auditStream, ...range })
    const records = entries.map(({ value }) => value).filter(isAuditRecord)
    const next = range.from === 0 ? null : await findNext(range.from)
    return { records, unreadable: entries.length - records.length, next }
  }

  async function findNext(from: number): Promise<number | null> {
    return planNextPage({ from, oldest: await readOldest(consuming, auditStream) })
  }

  return {
    write,
    readPage,
    read: async (limit, reader) => (await readPage({ limit }, reader)).records,
    verify: async (reader, kept) =>
      verifyStream(consuming, { stream: auditStream, to: await findEnd(reader), kept }),
    close: async () => {
      await Promise.all([follower.close(), publisher.close()])
    },
  }
}

/** Who reads the log, and from where. */
export type AuditReader = Pick<AuditEntry, 'by' | 'wayIn' | 'from'>

const readingEntry = {
  ...{ action: 'audit.read', target: auditStream, reason: null, result: 'read', receiptDigest: null },
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
