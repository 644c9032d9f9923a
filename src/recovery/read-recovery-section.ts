import { InvalidArgumentError } from '../errors.ts'
import { parseDuration } from '../message/duration.ts'
import type { TypeRoutes } from './plan-redrive.ts'
import type { RecoverTimeouts } from './recover-queues.ts'

export interface RecoverySection {
  readonly queues: readonly string[]
  readonly types: TypeRoutes
  readonly timeouts: Partial<RecoverTimeouts>
}

type Fields = Readonly<Record<string, unknown>>

const timeoutNames = { total: 'totalMs', idle: 'idleMs', empty: 'emptyMs', stall: 'stallMs' } as const

/**
 * Reads the config's `recovery` section: `queues`, `exchange`, `types` (a routing key, or an exchange and a
 * key, per type), `typeHeader` and `timeouts` (`total`, `idle`, `empty`, `stall`).
 */
export function readRecoverySection(section: Fields | undefined): RecoverySection {
  if (section === undefined)
    throw mistake('The config has no recovery section; name its queues and types there.')
  const { queues, types, typeHeader, exchange = '', timeouts = {} } = section
  if (!Array.isArray(queues) || queues.some((queue) => typeof queue !== 'string') || queues.length === 0)
    throw mistake('recovery.queues must be a list of queue names.')
  if (!isFields(types)) throw mistake('recovery.types must map each type to a routing key.')
  if (!isFields(timeouts)) throw mistake('recovery.timeouts must be an object such as { total: "30m" }.')
  const routes = Object.entries(types).map(([type, route]) => [type, readRoute(type, route, exchange)])
  return {
    queues: queues as string[],
    types: {
      routes: Object.fromEntries(routes) as TypeRoutes['routes'],
      ...(typeof typeHeader === 'string' && { header: typeHeader }),
    },
    timeouts: readTimeouts(timeouts),
  }
}

function readRoute(type: string, route: unknown, exchange: unknown): { exchange: string; key: string } {
  if (typeof route === 'string' && typeof exchange === 'string') return { exchange, key: route }
  const { exchange: own = exchange, key } = isFields(route) ? route : {}
  if (typeof own === 'string' && typeof key === 'string') return { exchange: own, key }
  throw mistake(`recovery.types["${type}"] must be a routing key, or { exchange, key }.`)
}

function readTimeouts(timeouts: Fields): Partial<RecoverTimeouts> {
  return Object.fromEntries(
    Object.entries(timeouts).map(([name, value]) => {
      if (!Object.hasOwn(timeoutNames, name))
        throw mistake(`recovery.timeouts has no "${name}"; it has total, idle, empty and stall.`)
      return [timeoutNames[name as keyof typeof timeoutNames], parseDuration(value as string)]
    }),
  )
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function mistake(problem: string): InvalidArgumentError {
  return new InvalidArgumentError(problem)
}
