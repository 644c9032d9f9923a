import { createHmac, randomBytes } from 'node:crypto'
import type { IncomingMessage } from '../broker/amqp/message.ts'
import { keyOf } from './describe-message.ts'
import type { ServerSettings } from './read-server-section.ts'

/** The name of a message on the line: the same for the same content, on all servers. */
export type NameMessage = (message: IncomingMessage) => string

type NameSettings = Pick<ServerSettings, 'sessionKey' | 'hidePayloadsFrom' | 'maskedPaths'>

/** Whether no other server knows the names of this one: they are made with a key that it made for itself. */
export function hasOwnNames(settings: NameSettings): boolean {
  return settings.sessionKey === undefined && hasSecretNames(settings)
}

function hasSecretNames({ hidePayloadsFrom, maskedPaths }: NameSettings): boolean {
  return hidePayloadsFrom.length > 0 || maskedPaths.length > 0
}

/**
 * Where payloads are hidden or masked, a hash of the content would tell them after all: whoever sees the rest of a
 * message could try card numbers until the hash fits. There the name is made with a key that callers do not have.
 */
export function createNames(settings: NameSettings): NameMessage {
  if (!hasSecretNames(settings)) return keyOf
  const key = createHmac('sha256', settings.sessionKey ?? randomBytes(32))
    .update('names of messages')
    .digest()
  return (message) => createHmac('sha256', key).update(keyOf(message)).digest('hex').slice(0, 32)
}
