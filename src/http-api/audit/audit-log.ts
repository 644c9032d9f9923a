import { randomUUID } from 'node:crypto'
import type { Delivery } from '../../broker/amqp/delivery.ts'
import { joinBody } from '../../broker/amqp/message.ts'
import { declareQueue } from '../../broker/amqp/operations.ts'
import type { Session } from '../../broker/amqp/session.ts'
import { createTurns } from '../../broker/amqp/turns.ts'
import { ApiError } from '../../errors.ts'
import { headerInteger } from '../../message/header-values.ts'
import { Publisher } from '../../publisher/publisher.ts'
import { toFieldTable } from '../../wire/plain-fields.ts'
import { readProperty } from '../../wire/properties.ts'
import type { AuditRecord } from '../contract.ts'
import { type AuditEntry, type ChainEnd, chainRecord, noRecord } from './audit-record.ts'
import { type AuditVerdict, verifyAudit } from './verify-audit.ts'

/** The stream that all replicas and the command line share. */
export const auditStream = 'warren.audit'

export interface AuditLog {
  /** Resolves when the broker has it. Throws where it has not: then do not do what it was to record. */
  write(entry: AuditEntry): Promise<AuditRecord>
  /** The newest last; the very last is that it was read, and by whom. */
  read(limit: number, reader: AuditReader): Promise<readonly AuditRecord[]>
  verify(reader: AuditReader): Promise<AuditVerdict>
  close(): Promise<void>
}

/** Opens the log; the stream is declared if it is missing. */
export async function openAuditLog(lines: {
  readonly consuming: Session
  readonly publishing: Session
}): Promise<AuditLog> {
  const { consuming, publishing } = lines
  await declareStream(consuming)
  const publisher = new Publisher(publishing, { deadlineMs: 10_000, resend: true })
  const turns = createTurns()
  let end: ChainEnd | undefined

  const write: AuditLog['write'] = (entry) =>
    turns.take(async () => {
      const record = chainRecord(entry, end ?? beginChain(), new Date().toISOString())
      const result = await publisher.publish({ key: auditStream, body: record, type: record.action })
      // Whether the stream has it is unknown, so nothing may follow it: the next begins a chain of its own.
      end = result.kind === 'confirmed' ? record : undefined
      if (end) return record
      throw unavailable('The audit log did not take the record, so nothing was done. Try again.')
    })

  /** How many messages a stream has is told late by RabbitMQ 4. Our own record tells where the end is. */
  async function readAll(reader: AuditReader): Promise<StreamRead> {
    const last = await write({ ...reader, ...readEntry })
    return readUntil(consuming, last.hash)
  }

  return {
    write,
    read: async (limit, reader) => (await readAll(reader)).records.slice(-limit) as AuditRecord[],
    verify: async (reader) => {
      const { records, firstOffset } = await readAll(reader)
      return verifyAudit(records, { isCut: firstOffset > 0 })
    },
    close: () => publisher.close(),
  }
}

/** Who reads the log, and from where. */
export type AuditReader = Pick<AuditEntry, 'by' | 'wayIn' | 'from'>

const readEntry = {
  ...{ action: 'audit.read', target: auditStream, reason: null, result: 'read', receiptDigest: null },
}

function beginChain(): ChainEnd {
  return { writer: randomUUID(), number: 0, hash: noRecord }
}

function unavailable(message: string): ApiError {
  return new ApiError({ code: 'AUDIT_UNAVAILABLE', message })
}

async function declareStream(session: Session): Promise<void> {
  const channel = await session.openChannel()
  await declareQueue(channel, {
    queue: auditStream,
    arguments: toFieldTable({ 'x-queue-type': 'stream' }),
  })
  await channel.close()
}

interface StreamRead {
  /** Undefined for what is not JSON. */
  readonly records: readonly unknown[]
  readonly firstOffset: number
}

const mostSilentMs = 10_000

/** Everything from the first record to the one with this hash. */
async function readUntil(session: Session, hash: string): Promise<StreamRead> {
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
        if (records.length === 0) firstOffset = offsetOf(delivery)
        const record = readRecord(joinBody(delivery.body))
        records.push(record)
        channel.ack(delivery.deliveryTag)
        clearTimeout(timer)
        if ((record as AuditRecord | undefined)?.hash === hash) resolve()
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

function offsetOf({ properties }: Delivery): number {
  return headerInteger(readProperty(properties, 'headers'), 'x-stream-offset') ?? 0
}

function readRecord(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}
