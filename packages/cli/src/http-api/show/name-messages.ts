import { createHmac, randomBytes } from 'node:crypto'
import { type IncomingMessage, messageKey } from 'warrenmq/operations'
import type { Caller } from '../auth/caller.ts'
import type { ServerSettings } from '../read-server-section.ts'

/** The name of a message in the API: the same for the same content, on all servers. */
export type NameMessage = (message: IncomingMessage, caller: NameReader) => string

export interface Names {
  readonly nameMessage: NameMessage
  /** What a caller knows a message by that all others know by this name. */
  readonly renameFor: (name: string, caller: NameReader) => string
}

export type NameReader = Pick<Caller, 'isReadUnknown'>

type NameSettings = Pick<ServerSettings, 'sessionKey' | 'hidePayloadsFrom' | 'maskedPaths'>

/** Whether no other server knows the names of this one: they are made with a key that it made for itself. */
export function hasOwnNames(settings: NameSettings, caller: NameReader = {}): boolean {
  return settings.sessionKey === undefined && hasSecretNames(settings, caller)
}

function hasSecretNames(
  { hidePayloadsFrom, maskedPaths }: NameSettings,
  { isReadUnknown = false }: NameReader,
): boolean {
  return isReadUnknown || hidePayloadsFrom.length > 0 || maskedPaths.length > 0
}

/**
 * Where payloads are hidden or masked, a hash of the content would tell them after all: whoever sees the rest of a
 * message could try card numbers until the hash fits. There the name is made with a key that callers do not have.
 */
export function createNames(settings: NameSettings): Names {
  const key = createHmac('sha256', settings.sessionKey ?? randomBytes(32))
    .update('names of messages')
    .digest()
  const hide = (name: string): string => createHmac('sha256', key).update(name).digest('hex').slice(0, 32)
  const nameMessage: NameMessage = (message, caller) => {
    const name = messageKey(message)
    return hasSecretNames(settings, caller) ? hide(name) : name
  }
  const areAllSecret = hasSecretNames(settings, {})
  return {
    nameMessage,
    renameFor: (name, caller) => (hasSecretNames(settings, caller) && !areAllSecret ? hide(name) : name),
  }
}
