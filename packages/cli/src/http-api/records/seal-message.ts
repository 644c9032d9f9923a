import type { OutgoingMessage } from 'warrenmq'
import { type RecordSeals, sealHeader } from './record-seals.ts'

export interface RecordToSeal {
  readonly stream: string
  readonly type: string
  readonly record: object
}

/** A record on its way into its stream: its body as 0.1 reads it, and beside it the seal. */
export function sealMessage(
  seals: Pick<RecordSeals, 'seal'> | undefined,
  { stream, type, record }: RecordToSeal,
): OutgoingMessage {
  const body = Buffer.from(JSON.stringify(record), 'utf8')
  const message = { key: stream, body, contentType: 'application/json', type }
  return seals ? { ...message, headers: { [sealHeader]: seals.seal(body) } } : message
}
