import { dateNow, randomUUID } from '../world.ts'
import { encodeMessage, type OutgoingMessage } from './outgoing-message.ts'
import type { PublishResult } from './publish-result.ts'
import type { Publisher } from './publisher.ts'

/**
 * Publishes a message that looks otherwise if it has to be sent again: then `again` is sent, in its place and with its
 * id. For publishers with `resend`.
 */
export function publishOrAgain(
  publisher: Publisher,
  { first, again }: { readonly first: OutgoingMessage; readonly again: OutgoingMessage },
): Promise<PublishResult> {
  return new Promise((settle) => {
    const nowMs = dateNow()
    const defaults = { messageId: randomUUID(), nowMs }
    const encoded = { ...encodeMessage(first, defaults), again: encodeMessage(again, defaults) }
    publisher.publishEncoded(encoded, settle, nowMs)
  })
}
