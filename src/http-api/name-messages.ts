import { createHmac, randomBytes } from 'node:crypto'
import type { IncomingMessage } from '../broker/amqp/message.ts'
import { keyOf } from './describe-message.ts'
import type { ServerSettings } from './read-server-section.ts'

/** The name of a message on the line: the same for the same content, on all servers. */
export type NameMessage = (message: IncomingMessage) => string

/**
 * Where payloads are hidden or masked, a hash of the content would tell them after all: whoever sees the rest of a
 * message could try card numbers until the hash fits. There the name is made with a key that callers do not have.
 */
export function createNames(
  settings: Pick<ServerSettings, 'sessionKey' | 'hidePayloadsFrom' | 'maskedPaths'>,
): NameMessage {
  const { sessionKey, hidePayloadsFrom, maskedPaths } = settings
  if (hidePayloadsFrom.length === 0 && maskedPaths.length === 0) return keyOf
  const key = createHmac('sha256', sessionKey ?? randomBytes(32))
    .update('names of messages')
    .digest()
  return (message) => createHmac('sha256', key).update(keyOf(message)).digest('hex').slice(0, 32)
}
