import type { MessageDeclarations } from './message-declaration.ts'

/** What a message says of itself. */
export interface NamedBy {
  /** Its `type` property or `MessageType` header; undefined if it has neither. */
  readonly type: string | undefined
  /** Where it was published. */
  readonly exchange: string
  /** The key it was published with. */
  readonly routingKey: string
}

/** The name of a message, or undefined if it is none of these. */
export type NameMessage = (message: NamedBy) => string | undefined

/**
 * A message says its name by its property `type`. Where it has none, as those of other publishers often do, it is known
 * by where it was first published, if only one message is published there.
 */
export function createNaming(messages: MessageDeclarations): NameMessage {
  const byAddress = new Map<string, string | undefined>()
  for (const [name, { exchange, key = '' }] of Object.entries(messages)) {
    const address = addressOf(exchange, key)
    byAddress.set(address, byAddress.has(address) ? undefined : name)
  }
  return ({ type, exchange, routingKey }) => {
    if (type === undefined) return byAddress.get(addressOf(exchange, routingKey))
    return Object.hasOwn(messages, type) ? type : undefined
  }
}

function addressOf(exchange: string, key: string): string {
  return `${exchange}\0${key}`
}
