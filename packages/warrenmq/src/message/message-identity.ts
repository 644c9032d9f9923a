import { editProperties, type RawProperties, readProperty } from '../wire/properties.ts'
import { isDeliveryCount, lastingHeaders, lastingProperties } from './lasting-headers.ts'
import { warrenHeaders } from './warren-headers.ts'

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

/**
 * The same for a message and the copy of it that a restore has put back: its properties without what the restore leaves
 * out or writes, and without its address, because a copy goes to its queue whatever way the message once took.
 */
export function identityWhenRestored(properties: RawProperties): RawProperties {
  const own = editProperties(properties, { remove: ['expiration', 'userId', 'deliveryMode'] })
  return lastingProperties(own, isLeftOut)
}

/** Routes of a message that the broker would obey again. */
export const isRoute = (name: string): boolean => name === 'CC' || name === 'BCC'
const isLeftOut = (name: string): boolean =>
  isDeliveryCount(name) || isRoute(name) || name === warrenHeaders.stripped
