import { createHash } from 'node:crypto'
import type { IncomingMessage } from '../../broker/amqp/message.ts'
import { messageIdentity } from '../../message/message-identity.ts'

/**
 * Knows a message again by its content: not every message has an id, and not every id is unique. A look must not change
 * the name of what it shows, so what a delivery changes is left out.
 * @example
 * ```ts
 * const key = messageKey(message)
 * ```
 */
export function messageKey(message: IncomingMessage): string {
  const { body } = message
  const hash = createHash('sha256')
  for (const part of messageIdentity(message)) hash.update(part)
  for (const piece of Buffer.isBuffer(body) ? [body] : body) hash.update(piece)
  return hash.digest('hex').slice(0, 32)
}
