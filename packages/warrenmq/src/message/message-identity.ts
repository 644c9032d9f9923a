import { editProperties, type RawProperties, readProperty } from '../wire/properties.ts'
import { lastingHeaders } from './lasting-headers.ts'

const noHeaders = Buffer.alloc(0)

/**
 * What tells one message from another beside its body: its address, its properties, and the headers that the broker leaves
 * alone between two deliveries. Two messages that are alike in all of it and in their bodies are the same to any reader.
 * A copy that came by a retry has another count or another history, so it is never taken for the message it was made from.
 */
export function messageIdentity({
  exchange,
  routingKey,
  properties,
}: {
  readonly exchange: string
  readonly routingKey: string
  readonly properties: RawProperties
}): readonly (string | Buffer)[] {
  return [
    JSON.stringify([exchange, routingKey]),
    editProperties(properties, { remove: ['headers'] }),
    lastingHeaders(readProperty(properties, 'headers') ?? noHeaders),
  ]
}
