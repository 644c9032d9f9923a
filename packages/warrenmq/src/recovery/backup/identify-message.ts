import { hash } from 'node:crypto'
import { isDeliveryCount } from '../../message/lasting-headers.ts'
import { identityWhenRestored, isRoute } from '../../message/message-identity.ts'
import { stripBrokerHeaders } from '../../message/strip-broker-headers.ts'
import { headerNames } from '../../wire/edit-table.ts'
import { editProperties, type RawProperties, readProperty } from '../../wire/properties.ts'

/** Which message it is, as text: a message and its restored copy have the same. */
export function identifyMessage({ properties, body }: { properties: RawProperties; body: Buffer }): string {
  return hash('sha256', Buffer.concat([identityWhenRestored(properties), body]), 'hex').slice(0, 40)
}

/**
 * The properties with which a message goes back: byte for byte its own, less the broker's counters, and less
 * what a broker would obey or refuse (extra routes, an expiry, a foreign user), which one header of ours keeps.
 */
export function restorableProperties(properties: RawProperties, login: string | undefined): RawProperties {
  const headers = readProperty(properties, 'headers')
  const names = headers === undefined ? [] : headerNames(headers)
  const counted = names.some(isDeliveryCount) ? withoutCounters(properties, names) : properties
  const userId = readProperty(properties, 'userId')
  const isObeyed =
    names.some(isRoute) ||
    readProperty(properties, 'expiration') !== undefined ||
    (userId !== undefined && userId !== login)
  if (!isObeyed) return counted
  const { set: _, ...edit } = stripBrokerHeaders(counted, {
    login,
    keep: names.filter((name) => !isRoute(name)),
  })
  return editProperties(counted, edit)
}

/** A table in which nothing is left was made by the broker for its counter, and goes with it. */
function withoutCounters(properties: RawProperties, names: readonly string[]): RawProperties {
  if (names.every(isDeliveryCount)) return editProperties(properties, { remove: ['headers'] })
  return editProperties(properties, { headers: { remove: isDeliveryCount } })
}
