import { createHash } from 'node:crypto'
import type { IncomingMessage } from '../../broker/amqp/message.ts'
import { lastingHeaders } from '../../message/lasting-headers.ts'
import { editProperties, readProperty } from '../../wire/properties.ts'

/**
 * Knows a message again by its content: not every message has an id, and not every id is unique. A look must not change
 * the name of what it shows, so what a delivery changes is left out.
 */
export function messageKey({ exchange, routingKey, properties, body }: IncomingMessage): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([exchange, routingKey]))
    .update(editProperties(properties, { remove: ['headers'] }))
    .update(lastingHeaders(readProperty(properties, 'headers') ?? Buffer.alloc(0)))
  for (const piece of Buffer.isBuffer(body) ? [body] : body) hash.update(piece)
  return hash.digest('hex').slice(0, 32)
}
