import { randomUUID } from 'node:crypto'
import type { Delivery } from '../../broker/amqp/delivery.ts'
import { inspectQueue } from '../../broker/amqp/operations.ts'
import type { Session } from '../../broker/amqp/session.ts'
import { createTurns } from '../../broker/amqp/turns.ts'
import { ApiError, ChannelError } from '../../errors.ts'
import { Publisher } from '../../publisher/publisher.ts'
import { toFieldTable } from '../../wire/plain-fields.ts'
import type { AuditRecord } from '../contract.ts'
import { declareStream, readEntry } from '../follow-stream.ts'
import { type AuditEntry, type ChainEnd, chainRecord, noRecord } from './audit-record.ts'
import { followOthers } from './follow-others.ts'
import { type AuditStream, type AuditVerdict, verifyAudit } from './verify-audit.ts'

/** The stream that all replicas and the command line share. */
export const auditStream = 'warren.audit'

export interface AuditLog {
  /** Resolves when the broker has it. Throws where it has not: then do not do what it was to record. */
  write(entry: AuditEntry): Promise<AuditRecord>
  /** The newest last; the very last is that it was read, and by whom. */
  read(limit: number, reader: AuditReader): Promise<readonly AuditRecord[]>
  /** @param kept the hash of a record that must be there */
  verify(reader: AuditReader, kept?: string): Promise<AuditVerdict>
  close(): Promise<void>
}

export interface AuditLines {
  readonly consuming: Session
  readonly publishing: Session
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

async function openStream({ consuming, publishing }: AuditLines): Promise<AuditLog> {
  const publisher = new Publisher(publishing, { deadlineMs: 10_000, resend: true })
  const turns = createTurns()
  let end: ChainEnd | undefined
  const others = await followOthers(consuming, auditStream, () => end?.writer)

  const write: AuditLog['write'] = (entry) =>
    turns.take(async () => {
      const at = new Date().toISOString()
      const record = chainRecord(entry, { end: end ?? beginChain(), seen: others.newest(), at })
      const result = await publisher.publish({ key: auditStream, body: record, type: record.action })
      // Whether the stream has it is unknown, so nothing may follow it: the next begins a chain of its own.
      end = result.kind === 'confirmed' ? record : undefined
      if (end) return record
      throw unavailable('The audit log did not take the record, so nothing was done. Try again.')
    })

  /** How many messages a stream has is told late by RabbitMQ 4. Our own record tells where the end is. */
  async function readAll(reader: AuditReader): Promise<AuditStream> {
    const last = await write({ ...reader, ...readingEntry })
    return readUntil(consuming, last.hash)
  }

  return {
    write,
    read: async (limit, reader) => (await readAll(reader)).records.slice(-limit) as AuditRecord[],
    verify: async (reader, kept) => verifyAudit(await readAll(reader), kept),
    close: async () => {
      await Promise.all([others.close(), publisher.close()])
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

const mostSilentMs = 10_000

/** Everything from the first record to the one with this hash. */
async function readUntil(session: Session, hash: string): Promise<AuditStream> {
  const channel = await session.openChannel()
  const records: unknown[] = []
  let firstOffset = 0
  await channel.setPrefetch(500)
  try {
    await new Promise<void>((resolve, reject) => {
      const giveUp = (): void => reject(unavailable('The audit log is not delivered. Try again.'))
      let timer = setTimeout(giveUp, mostSilentMs)
      channel.events.on('closed', ({ error }) => {
        clearTimeout(timer)
        if (error) reject(error)
      })
      const onDelivery = (delivery: Delivery): void => {
        const { offset, value } = readEntry(delivery)
        if (records.length === 0) firstOffset = offset
        records.push(value)
        channel.ack(delivery.deliveryTag)
        clearTimeout(timer)
        if ((value as AuditRecord | undefined)?.hash === hash) resolve()
        else timer = setTimeout(giveUp, mostSilentMs)
      }
      const args = toFieldTable({ 'x-stream-offset': 'first' })
      channel.consume(auditStream, onDelivery, { arguments: args }).catch(reject)
    })
  } finally {
    await channel.close()
  }
  return { records, firstOffset }
}
