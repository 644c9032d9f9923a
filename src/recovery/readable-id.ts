import type { IncomingMessage } from '../broker/amqp/message.ts'
import { WireError } from '../errors.ts'
import { readProperty } from '../wire/properties.ts'

/** The id of a message. Empty: it has none, or nobody can read it. Whether such a message stays is decided elsewhere. */
export function readableId({ properties }: Pick<IncomingMessage, 'properties'>): string {
  try {
    return readProperty(properties, 'messageId') ?? ''
  } catch (error) {
    if (error instanceof WireError) return ''
    throw error
  }
}
