import { hash } from 'node:crypto'
import { stripBrokerHeaders } from '../../message/strip-broker-headers.ts'
import { warrenHeaders } from '../../message/warren-headers.ts'
import { headerNames } from '../../wire/header-table.ts'
import { editProperties, type RawProperties, readProperty } from '../../wire/properties.ts'

/**
 * Who a message is: a digest over its body and its properties, less what a broker adds while the message waits
 * and what a restore has to leave out. A message and its restored copy have the same.
 */
export function identifyMessage({ properties, body }: { properties: RawProperties; body: Buffer }): string {
  const own = editProperties(properties, {
    remove: ['expiration', 'userId', 'deliveryMode', ...headersThatVanish(properties, isPassing)],
    headers: { remove: isPassing },
  })
  return hash('sha256', Buffer.concat([own, body]), 'hex').slice(0, 40)
}

/**
 * The properties with which a message goes back: byte for byte its own, less the broker's counters, and less
 * what a broker would obey or refuse (extra routes, an expiry, a foreign user), which one header of ours keeps.
 */
export function restorableProperties(properties: RawProperties, login: string | undefined): RawProperties {
  const headers = readProperty(properties, 'headers')
  const names = headers === undefined ? [] : headerNames(headers)
  const counted = names.some(isCounter) ? withoutCounters(properties) : properties
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

function withoutCounters(properties: RawProperties): RawProperties {
  return editProperties(properties, {
    remove: headersThatVanish(properties, isCounter),
    headers: { remove: isCounter },
  })
}

/** A table in which nothing is left was made by the broker for its counter, and goes with it. */
function headersThatVanish(
  properties: RawProperties,
  isGone: (name: string) => boolean,
): readonly 'headers'[] {
  const headers = readProperty(properties, 'headers')
  return headers !== undefined && headerNames(headers).every(isGone) ? ['headers'] : []
}

const counters: ReadonlySet<string> = new Set(['x-delivery-count', 'x-acquired-count'])
const isCounter = (name: string): boolean => counters.has(name)
const isRoute = (name: string): boolean => name === 'CC' || name === 'BCC'
const isPassing = (name: string): boolean =>
  isCounter(name) || isRoute(name) || name === warrenHeaders.stripped
