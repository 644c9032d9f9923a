import fc from 'fast-check'
import { SnapshotColumns } from '../../../packages/cli/src/http-api/snapshot-index/snapshot-columns.ts'
import type { IncomingMessage } from '../../../packages/warrenmq/src/broker/amqp/message.ts'
import { toFieldTable } from '../../../packages/warrenmq/src/wire/plain-fields.ts'
import { encodeProperties } from '../../../packages/warrenmq/src/wire/properties.ts'

/** A dead letter in a few words. What is left out it does not have. */
export interface Letter {
  readonly id?: string | undefined
  readonly type?: string | undefined
  readonly queue?: string | undefined
  readonly error?: string | undefined
  readonly diedAt?: string | undefined
  readonly attempts?: number | undefined
  readonly exchange?: string | undefined
  readonly key?: string | undefined
  readonly tenant?: string | undefined
  readonly messageType?: string | undefined
  readonly body?: string | undefined
}

const some = <Value>(...values: Value[]) => fc.option(fc.constantFrom(...values), { nil: undefined })

/** Few values, so that many are the same. */
export const anyLetter: fc.Arbitrary<Letter> = fc.record({
  id: some('m-1', 'm-2', '', '7', 'é'),
  type: some('A', 'Ab', 'B', ''),
  messageType: some('A', 'C'),
  queue: some('work', 'other', ''),
  error: some('timeout', 'refused'),
  diedAt: some('2030-01-30T23:00:00.000Z', '2030-01-30T22:00:00.000Z', '2029-12-01T00:00:00.000Z', 'never'),
  attempts: some(0, 1, 2, 20),
  exchange: some('ex', ''),
  key: some('k.1', 'k.2'),
  tenant: some('acme', 'other'),
  body: some('{"at":1}', '{"at":2}', 'needle', ''),
})

export function deadLetter(letter: Letter): IncomingMessage {
  const { id, type, queue, error, diedAt, attempts, exchange = '', key = 'dlq', body = '' } = letter
  const headers = {
    'x-original-queue': queue,
    'x-final-error': error,
    'warren-last-failed-at': diedAt,
    'warren-attempts': attempts,
    tenant: letter.tenant,
    MessageType: letter.messageType,
  }
  const written = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined))
  const bytes = Buffer.from(body)
  return {
    exchange,
    routingKey: key,
    body: bytes,
    bodyBytes: bytes.length,
    properties: encodeProperties({ messageId: id, type, headers: toFieldTable(written as never) }),
  }
}

/** Their index; the key of each is its place. */
export function columnsOf(messages: readonly IncomingMessage[]): SnapshotColumns {
  const columns = new SnapshotColumns()
  for (const [at, message] of messages.entries())
    columns.add(message, at.toString(16).padStart(32, '0'), { block: 0, offset: at })
  return columns
}
