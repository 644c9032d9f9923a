import { comparableNumber, comparableText } from './comparable-text.ts'

/** A condition on dead letters. Made by `parseFilter`, asked by `matchesFilter`. */
export type Filter =
  /** All of the conditions hold, or any of them. */
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Filter[] }
  /** The condition does not hold. */
  | { readonly kind: 'not'; readonly part: Filter }
  /** The text is somewhere in the body, the id, the cause or a header, in any case of letters. */
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'compare'
      /** What is compared. */
      readonly field: FilterField
      /** How it is compared. */
      readonly operator: FilterOperator
      /** What it is compared with, as it was written. */
      readonly value: string
      /** Of `died` and `diedAt` in milliseconds, else the value as a number if it is one. */
      readonly number: number | bigint | undefined
    }

/** What a condition looks at in a message. */
export type FilterField =
  | { readonly kind: 'type' | 'cause' | 'queue' | 'id' | 'attempts' | 'key' | 'exchange' }
  /** How long ago it died; as a moment, where the filter names one. */
  | { readonly kind: 'died' | 'diedAt' }
  /** A header, in its exact spelling. */
  | { readonly kind: 'header'; readonly name: string }
  /** A field of the JSON body, with the names that lead to it. */
  | { readonly kind: 'body'; readonly path: readonly string[] }

/** How a condition compares. All but `=` and `!=` need a number or a time. */
export type FilterOperator = '=' | '!=' | '<' | '<=' | '>' | '>='

/** What a filter asks of a message. Each is read only when it is asked for. */
export interface FilterSubject {
  /** The `message-id`; undefined if it has none. */
  readonly id: string | undefined
  /** The `type` property and the `MessageType` header: frameworks write the one, the other, or both. */
  readonly types: readonly string[]
  /** The queue that it failed in; undefined if nothing tells. */
  readonly queue: string | undefined
  /** Where it was first published, as far as its headers tell, else where it was published into its queue. */
  readonly exchange: string
  /** The key it was first published with, as far as its headers tell. */
  readonly key: string
  /** Why it died: a stable id, and the words that people read. */
  readonly cause: { readonly id: string; readonly label: string }
  /** How long ago it died, in milliseconds; undefined if nothing tells. */
  readonly ageMs: number | undefined
  /** Since 1970. */
  readonly diedAtMs: number | undefined
  /** How often it was tried; undefined if nothing tells. */
  readonly attempts: number | undefined
  /** The value of a header, as plain JavaScript; undefined if there is none. */
  readonly header: (name: string) => unknown
  /** The body as JSON; undefined if it is not JSON. */
  readonly json: unknown
  /** Everything that a plain word is looked for in. */
  readonly text: string
}

/**
 * Tells whether a message, as a filter sees it, matches.
 * @example
 * ```ts
 * const isWanted = matchesFilter(parseFilter('type:OrderPlaced'), subject)
 * ```
 */
export function matchesFilter(filter: Filter, subject: FilterSubject): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.parts.every((part) => matchesFilter(part, subject))
    case 'or':
      return filter.parts.some((part) => matchesFilter(part, subject))
    case 'not':
      return !matchesFilter(filter.part, subject)
    case 'text':
      return subject.text.toLowerCase().includes(filter.text.toLowerCase())
    case 'compare':
      return compare(filter, subject)
  }
}

type Comparison = Extract<Filter, { kind: 'compare' }>

function compare(filter: Comparison, subject: FilterSubject): boolean {
  if (filter.field.kind === 'cause') return (filter.operator === '=') === isCause(filter.value, subject.cause)
  const values = readField(filter.field, subject)
  switch (filter.operator) {
    case '=':
      return values.some((actual) => isEqual(actual, filter))
    case '!=':
      return !values.some((actual) => isEqual(actual, filter))
    default:
      return values.some((actual) => isOrdered(actual, filter))
  }
}

function isOrdered(actual: unknown, filter: Comparison): boolean {
  const left = comparableNumber(actual)
  if (left === undefined || filter.number === undefined) return false
  switch (filter.operator) {
    case '<':
      return left < filter.number
    case '<=':
      return left <= filter.number
    case '>':
      return left > filter.number
    case '>=':
      return left >= filter.number
    default:
      return false
  }
}

/** What a message has there. Of a type there may be two. */
export function readField(field: FilterField, subject: FilterSubject): readonly unknown[] {
  switch (field.kind) {
    case 'type':
      return subject.types
    case 'header':
      return [subject.header(field.name)]
    case 'body':
      return [field.path.reduce<unknown>(memberOf, subject.json)]
    case 'died':
      return [subject.ageMs]
    case 'diedAt':
      return [subject.diedAtMs]
    case 'cause':
      return [subject.cause.id]
    default:
      return [subject[field.kind]]
  }
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Record<string, unknown>)[name]
}

function isCause(wanted: string, { id, label }: FilterSubject['cause']): boolean {
  return id === wanted || label.toLowerCase().includes(wanted.toLowerCase())
}

/** `*` matches anything; upper and lower case differ, because ids do. */
function isEqual(actual: unknown, filter: Comparison): boolean {
  const text = comparableText(actual)
  if (text === undefined) return false
  return filter.value.includes('*') ? matches(text, patternOf(filter)) : text === filter.value
}

/** The texts between the stars of a value. */
interface Pattern {
  readonly first: string
  readonly between: readonly string[]
  readonly last: string
  /** No shorter text can match. */
  readonly leastLength: number
}

/** A pattern may have thousands of stars, and is asked of every message: it is taken apart once. */
const patterns = new WeakMap<Comparison, Pattern>()

function patternOf(filter: Comparison): Pattern {
  const known = patterns.get(filter)
  if (known) return known
  const [first = '', ...parts] = filter.value.split('*')
  const last = parts.pop() ?? ''
  const between = parts.filter((part) => part !== '')
  const leastLength = [first, ...between, last].reduce((sum, part) => sum + part.length, 0)
  const pattern = { first, between, last, leastLength }
  patterns.set(filter, pattern)
  return pattern
}

/** Each part at its first place behind the one before: an expression would try all places, and that can take for ever. */
function matches(text: string, { first, between, last, leastLength }: Pattern): boolean {
  if (text.length < leastLength || !text.startsWith(first) || !text.endsWith(last)) return false
  const end = text.length - last.length
  let at = first.length
  for (const part of between) {
    const found = text.indexOf(part, at)
    if (found < 0 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}
