import { joinBody, type ReturnedMessage } from '../broker/amqp/message.ts'
import { sizeOfBody } from '../wire/frame-writer.ts'
import { readProperty } from '../wire/properties.ts'
import type { EncodedMessage } from './outgoing-message.ts'

/** Is it this one to the last byte? */
export function isExactReturnOf(published: EncodedMessage, returned: ReturnedMessage): boolean {
  return published.properties.equals(returned.properties) && isReturnOf(published, returned)
}

/**
 * Is the returned message this published one? A return carries no number, so everything that tells two
 * messages apart is compared. Two that are alike in all of it are the same message to any reader.
 */
export function isReturnOf(published: EncodedMessage, returned: ReturnedMessage): boolean {
  return (
    published.mandatory !== false &&
    published.exchange === returned.exchange &&
    published.key === returned.routingKey &&
    sizeOfBody(published.body) === returned.bodyBytes &&
    readProperty(published.properties, 'messageId') === readProperty(returned.properties, 'messageId') &&
    readProperty(published.properties, 'correlationId') ===
      readProperty(returned.properties, 'correlationId') &&
    joinBody(published.body).equals(joinBody(returned.body))
  )
}
