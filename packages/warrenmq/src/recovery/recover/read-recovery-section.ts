import { InvalidArgumentError } from '../../errors.ts'
import { readDuration } from '../../message/duration.ts'
import { didYouMean } from '../../message/suggest-name.ts'
import type { TypeRoutes } from '../redrive/plan-redrive.ts'
import type { RecoverOptions, RecoverTimeouts } from './recover-queues.ts'

/** The `recovery` section of a config, checked. */
export interface RecoverySection extends Pick<RecoverOptions, 'queues' | 'types' | 'window' | 'maxHoldMs'> {
  /** Those that the config names; the others have their defaults. */
  readonly timeouts: Partial<RecoverTimeouts>
}

type Fields = Readonly<Record<string, unknown>>

const timeoutNames = { total: 'totalMs', idle: 'idleMs', empty: 'emptyMs', stall: 'stallMs' } as const

const sectionNames = ['queues', 'exchange', 'types', 'typeHeader', 'prefetch', 'messageTimeout', 'timeouts']

/**
 * Reads the config's `recovery` section: `queues`, `exchange`, `types` (a routing key, or an exchange and a
 * key, per type), `typeHeader`, `prefetch` (messages that are taken at a time), `messageTimeout` (how long one may be
 * held) and `timeouts` (`total`, `idle`, `empty`, `stall`).
 * @example
 * ```ts
 * const { queues, types } = readRecoverySection({ queues: ['orders.dlq'], types: { OrderPlaced: 'orders' } })
 * ```
 */
export function readRecoverySection(section: Readonly<Record<string, unknown>> | undefined): RecoverySection {
  if (section === undefined)
    throw mistake('The config has no recovery section; name its queues and types there.')
  refuseUnknown(section, { of: 'recovery', names: sectionNames })
  const { queues, types, typeHeader, exchange = '', timeouts = {}, prefetch, messageTimeout } = section
  if (!Array.isArray(queues) || queues.some((queue) => typeof queue !== 'string') || queues.length === 0)
    throw mistake('recovery.queues must be a list of queue names.')
  if (!isFields(types)) throw mistake('recovery.types must map each type to a routing key.')
  if (!isFields(timeouts)) throw mistake('recovery.timeouts must be an object such as { total: "30m" }.')
  if (typeHeader !== undefined && typeof typeHeader !== 'string')
    throw mistake('recovery.typeHeader must be the name of a header.')
  const routes = Object.entries(types).map(([type, route]) => [type, readRoute(type, route, exchange)])
  return {
    queues: queues as string[],
    types: {
      routes: Object.fromEntries(routes) as TypeRoutes['routes'],
      ...(typeHeader !== undefined && { header: typeHeader }),
    },
    ...(prefetch !== undefined && { window: { messages: readPrefetch(prefetch) } }),
    ...(messageTimeout !== undefined && { maxHoldMs: readTime('recovery.messageTimeout', messageTimeout) }),
    timeouts: readTimeouts(timeouts),
  }
}

function readRoute(type: string, route: unknown, exchange: unknown): { exchange: string; key: string } {
  if (typeof route === 'string' && typeof exchange === 'string') return { exchange, key: route }
  if (isFields(route)) refuseUnknown(route, { of: `recovery.types["${type}"]`, names: ['exchange', 'key'] })
  const { exchange: own = exchange, key } = isFields(route) ? route : {}
  if (typeof own === 'string' && typeof key === 'string') return { exchange: own, key }
  throw mistake(`recovery.types["${type}"] must be a routing key, or { exchange, key }.`)
}

function readTimeouts(timeouts: Fields): Partial<RecoverTimeouts> {
  refuseUnknown(timeouts, { of: 'recovery.timeouts', names: Object.keys(timeoutNames) })
  return Object.fromEntries(
    Object.entries(timeouts).map(([name, value]) => {
      const timeMs = readTime(`recovery.timeouts.${name}`, value)
      return [timeoutNames[name as keyof typeof timeoutNames], timeMs]
    }),
  )
}

/** Of several times in a section, the sentence says which one is meant. */
function readTime(name: string, value: unknown): number {
  const reading = readDuration(value)
  if (reading.isValid) return reading.milliseconds
  throw mistake(`${name}: ${reading.problem}`)
}

/** As many as AMQP can say. */
const mostPrefetch = 65_535

function readPrefetch(prefetch: unknown): number {
  if (Number.isInteger(prefetch) && (prefetch as number) >= 1 && (prefetch as number) <= mostPrefetch)
    return prefetch as number
  throw mistake(`recovery.prefetch must be a whole number from 1 to ${mostPrefetch}.`)
}

/** What is misspelt would else be as if it were not there. */
function refuseUnknown(fields: Fields, { of, names }: { of: string; names: readonly string[] }): void {
  const unknown = Object.keys(fields).filter((name) => !names.includes(name))
  if (unknown.length === 0) return
  const all = `; it has ${names.join(', ')}.`
  throw mistake(unknown.map((name) => `${of} has no "${name}"${didYouMean(name, names) || all}`).join(' '))
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function mistake(problem: string): InvalidArgumentError {
  return new InvalidArgumentError(problem)
}
