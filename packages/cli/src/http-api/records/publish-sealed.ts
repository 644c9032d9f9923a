import type { PublishResult } from 'warrenmq'
import { type Publisher, publishOrAgain } from 'warrenmq/operations'
import { type RecordSeals, sealHeader } from './record-seals.ts'
import { type RecordToSeal, sealMessage } from './seal-message.ts'

/**
 * Publishes a record. If it has to be sent again after a lost connection it says so under its seal: whoever reads the
 * stream tells the second sending from a copy that somebody else has made.
 * @param publisher one with `resend`
 */
export function publishSealed(
  publisher: Publisher,
  seals: Pick<RecordSeals, 'seal'>,
  record: RecordToSeal,
): Promise<PublishResult> {
  const first = sealMessage(seals, record)
  const body = first.body as Buffer
  const again = seals.seal(body, first.headers?.[sealHeader] as string)
  return publishOrAgain(publisher, { first, again: { ...first, headers: { [sealHeader]: again } } })
}
