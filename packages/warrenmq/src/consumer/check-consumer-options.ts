import { longestTimerMs } from '../clock.ts'
import { InvalidArgumentError } from '../errors.ts'
import { readDuration } from '../message/duration.ts'
import { refuseUnknown } from '../message/refuse-unknown.ts'
import type { BreakerOptions, ConsumerOptions } from './consumer-options.ts'
import { type StatusRule, type StatusTable, statusMeanings, statusTables } from './http/status-tables.ts'
import { describeValue } from './run/describe-value.ts'

/** AMQP has two bytes for it. */
export const mostPrefetch = 65_535

/** What an option may be, in words that end "it must be …", and the same as a test. Undefined is not asked about. */
interface Rule {
  readonly mustBe: string
  readonly isAllowed: (value: unknown) => boolean
}

type Rules = Readonly<Record<string, Rule>>
/** One for each name that there is, and none besides. */
type RulesOf<Options> = Readonly<Record<keyof Options & string, Rule>>

const count: Rule = {
  mustBe: `a whole number from 1 to ${mostPrefetch}`,
  isAllowed: (value) => isWhole(value, 1, mostPrefetch),
}
const limit: Rule = {
  mustBe: 'a whole number from 1, or false',
  isAllowed: (value) => value === false || isWhole(value, 1),
}
const fewMs: Rule = {
  mustBe: `a number of milliseconds from 1 to ${longestTimerMs}`,
  isAllowed: (value) => typeof value === 'number' && value >= 1 && value <= longestTimerMs,
}
const fewTime: Rule = {
  mustBe: "a duration from '1ms' to '24d', such as '30s' or 1500",
  isAllowed: (value) => isDurationFrom(1)(value) && !isDurationFrom(longestTimerMs + 1)(value),
}
const text: Rule = { mustBe: 'a text', isAllowed: (value) => typeof value === 'string' }

const consumerRules: RulesOf<ConsumerOptions> = {
  concurrency: count,
  prefetch: count,
  orderBy: { mustBe: 'a function of the message', isAllowed: isFunction },
  timeout: { mustBe: "a duration above 0, such as '30s' or 1500", isAllowed: isDurationFrom(1) },
  ackTimeout: { mustBe: "a duration from '1s' on, such as '30m'", isAllowed: isDurationFrom(1_000) },
  holdUpTo: { mustBe: "a duration, such as '30s', 1500 or 0", isAllowed: isDurationFrom(0) },
  retryJitter: { mustBe: "a duration, such as '30s', 1500 or 0", isAllowed: isDurationFrom(0) },
  statusTable: {
    mustBe: `${namesOf(Object.keys(statusTables))} or a table of your own, { rules, honoursRetryAfter }`,
    isAllowed: (value) => (typeof value === 'string' ? Object.hasOwn(statusTables, value) : isObject(value)),
  },
  poisonLimit: limit,
  deliveryLimit: limit,
  requireProof: { mustBe: 'true or false', isAllowed: (value) => typeof value === 'boolean' },
  breaker: {
    mustBe: 'true, false or { failureRatio, minimumResults, window, open, maxOpen }',
    isAllowed: (value) => typeof value === 'boolean' || isObject(value),
  },
  decode: {
    mustBe: "'auto', 'json' or a function of the message",
    isAllowed: (value) => value === 'auto' || value === 'json' || isFunction(value),
  },
  schema: {
    mustBe: 'a Standard Schema, as zod, valibot and arktype make them',
    isAllowed: (value) => hasFunctions(read(value, '~standard'), ['validate']),
  },
  dedupe: {
    mustBe: 'a store with the functions begin, finish and release',
    isAllowed: (value) => hasFunctions(value, ['begin', 'finish', 'release']),
  },
  middleware: {
    mustBe: 'a list of functions',
    isAllowed: (value) => Array.isArray(value) && value.every(isFunction),
  },
  service: text,
  host: text,
  tracing: {
    mustBe: 'the module @opentelemetry/api',
    isAllowed: (value) => hasFunctions(read(value, 'trace'), ['getTracer']),
  },
  priority: {
    mustBe: 'a whole number from -2147483648 to 2147483647',
    isAllowed: (value) => isWhole(value, -(2 ** 31), 2 ** 31 - 1),
  },
  exclusive: { mustBe: 'true or false', isAllowed: (value) => typeof value === 'boolean' },
  streamOffset: {
    mustBe: "'first', 'last', 'next', an offset from 0, a valid Date, or a duration such as '1h'",
    isAllowed: isStreamOffset,
  },
  clock: {
    mustBe: 'a clock with the functions now and schedule',
    isAllowed: (value) => hasFunctions(value, ['now', 'schedule']),
  },
  random: { mustBe: 'a function that gives numbers from 0 up to 1', isAllowed: isFunction },
}

const breakerRules: RulesOf<BreakerOptions> = {
  failureRatio: {
    mustBe: 'a number above 0 and not above 1',
    isAllowed: (value) => typeof value === 'number' && value > 0 && value <= 1,
  },
  minimumResults: { mustBe: 'a whole number from 1', isAllowed: (value) => isWhole(value, 1) },
  window: fewTime,
  open: fewTime,
  maxOpen: fewTime,
  windowMs: fewMs,
  openMs: fewMs,
  maxOpenMs: fewMs,
}

const status: Rule = { mustBe: 'a status from 100 to 999', isAllowed: (value) => isWhole(value, 100, 999) }

const statusRules: RulesOf<StatusRule> = {
  from: status,
  to: status,
  means: {
    mustBe: `one of ${namesOf(statusMeanings)}`,
    isAllowed: (value) => statusMeanings.some((meaning) => meaning === value),
  },
}

const tableRules: RulesOf<StatusTable> = {
  rules: { mustBe: 'a list of { from, to, means }', isAllowed: (value) => isListOfObjects(value) },
  honoursRetryAfter: { mustBe: 'true or false', isAllowed: (value) => typeof value === 'boolean' },
}

/**
 * Refuses each option that makes no sense, with a sentence that names it, its value and what is allowed. Many options
 * come from a file or a program that no compiler has checked, and are not read again until a message fails.
 */
export function checkConsumerOptions(options: object): void {
  if (!isObject(options)) refuse('What a consumer got as its options', options, 'an object')
  refuseUnknown('consume()', options, consumerRules)
  checkFields(options, consumerRules)
  const breaker = read(options, 'breaker')
  if (isObject(breaker)) {
    refuseUnknown('breaker', breaker, breakerRules)
    checkFields(breaker, breakerRules, 'breaker.')
  }
  const table = read(options, 'statusTable')
  if (isObject(table)) checkStatusTable(table)
}

export function checkHandler(handler: unknown): void {
  if (!isFunction(handler)) refuse('The handler of a consumer', handler, 'a function')
}

function checkStatusTable(table: object): void {
  refuseUnknown('statusTable', table, tableRules)
  checkFields(table, tableRules, 'statusTable.', ['rules', 'honoursRetryAfter'])
  for (const [index, rule] of (read(table, 'rules') as readonly object[]).entries()) {
    refuseUnknown(`statusTable.rules[${index}]`, rule, statusRules)
    checkFields(rule, statusRules, `statusTable.rules[${index}].`, ['from', 'means'])
  }
}

function checkFields(of: object, rules: Rules, path = '', needed: readonly string[] = []): void {
  for (const [name, { mustBe, isAllowed }] of Object.entries(rules)) {
    const value = read(of, name)
    if (value === undefined && !needed.includes(name)) continue
    if (!isAllowed(value)) refuse(`${path}${name}`, value, mustBe)
  }
}

function refuse(name: string, value: unknown, mustBe: string): never {
  throw new InvalidArgumentError(`${name} is ${show(value)}; it must be ${mustBe}.`)
}

function show(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`
  if (isFunction(value)) return 'a function'
  if (Array.isArray(value)) return 'a list'
  return isObject(value) ? 'an object' : describeValue(value)
}

function namesOf(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ')
}

function isWhole(value: unknown, from: number, to: number = Number.MAX_SAFE_INTEGER): boolean {
  return Number.isInteger(value) && (value as number) >= from && (value as number) <= to
}

function isDurationFrom(leastMs: number): (value: unknown) => boolean {
  return (value) => {
    const reading = readDuration(value)
    return reading.isValid && reading.milliseconds >= leastMs
  }
}

function isStreamOffset(value: unknown): boolean {
  if (value instanceof Date) return value.getTime() >= 0
  if (typeof value === 'number') return isWhole(value, 0)
  return value === 'first' || value === 'last' || value === 'next' || isDurationFrom(1_000)(value)
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isListOfObjects(value: unknown): boolean {
  return Array.isArray(value) && value.every(isObject)
}

/** Schemas of arktype are functions with fields, so anything may have one. */
function read(value: unknown, name: string): unknown {
  return value === undefined || value === null ? undefined : (value as Record<string, unknown>)[name]
}

function hasFunctions(value: unknown, names: readonly string[]): boolean {
  return names.every((name) => isFunction(read(value, name)))
}
