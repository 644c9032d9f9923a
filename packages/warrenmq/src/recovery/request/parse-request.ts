import { InvalidArgumentError } from '../../errors.ts'
import { wayOut } from '../../message/refuse-unknown.ts'
import { didYouMean } from '../../message/suggest-name.ts'
import type { RequestSchema } from './request-schema.ts'

/**
 * Reads a request. Anything else is refused with a sentence that names the field and the way out. `owner` begins it:
 * `redrive()`. An undefined value counts as missing.
 * @example
 * ```ts
 * const request = parseRequest('redrive()', { queue: 'orders.dlq' }, redriveRequestSchema)
 * ```
 */
export function parseRequest<Value>(owner: string, value: unknown, schema: RequestSchema<Value>): Value {
  const problem = problemOf(value, schema, { owner, path: '' })
  if (problem !== undefined) throw new InvalidArgumentError(problem)
  const said = Object.entries(value as object).filter(([, each]) => each !== undefined)
  return Object.fromEntries(said) as Value
}

/** Where a value is. */
interface Place {
  readonly owner: string
  /** The names that lead to it, with dots between; empty for the request itself. */
  readonly path: string
}

function problemOf(value: unknown, schema: RequestSchema, place: Place): string | undefined {
  if (schema.anyOf) return problemOfChoice(value, schema.anyOf, place)
  switch (schema.type) {
    case 'object':
      return problemOfObject(value, schema, place)
    case 'array':
      return problemOfList(value, schema, place)
    case 'string':
      return problemOfText(value, schema, place)
    case 'boolean':
      return typeof value === 'boolean' ? undefined : wrong(value, 'must be true or false', place)
    default:
      return problemOfNumber(value, schema, place)
  }
}

/** Of the alternatives, the one of the value's own kind has the better sentence. */
function problemOfChoice(
  value: unknown,
  choices: readonly RequestSchema[],
  place: Place,
): string | undefined {
  const problems = choices.map((schema) => ({ schema, problem: problemOf(value, schema, place) }))
  if (problems.some(({ problem }) => problem === undefined)) return undefined
  const sameKind = problems.find(({ schema }) => isOfKind(value, schema.type))
  return sameKind?.problem ?? wrong(value, `must be ${choices.map(describeKind).join(', or ')}`, place)
}

function problemOfObject(
  value: unknown,
  { properties, required = [], maxProperties = Number.POSITIVE_INFINITY }: RequestSchema,
  place: Place,
): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const names = properties ? `an object with ${Object.keys(properties).join(', ')}` : 'an object'
    return wrong(value, `must be ${names}`, place)
  }
  const said = Object.entries(value).filter(([, each]) => each !== undefined)
  if (said.length > maxProperties) return wrong(value, `must have at most ${maxProperties} names`, place)
  if (!properties) return undefined
  const names = Object.keys(properties)
  const unknown = said.find(([name]) => !Object.hasOwn(properties, name))
  if (unknown) return `${nameOf(place)} has no "${unknown[0]}"; ${wayOut(unknown[0], names)}`
  const missing = required.find((name) => !said.some(([each]) => each === name))
  if (missing !== undefined) return `${nameOf(place)} needs "${missing}": ${describe(properties[missing]!)}`
  for (const [name, each] of said) {
    const path = place.path === '' ? name : `${place.path}.${name}`
    const problem = problemOf(each, properties[name]!, { ...place, path })
    if (problem !== undefined) return problem
  }
  return undefined
}

function problemOfList(
  value: unknown,
  { items = {}, minItems = 0, maxItems = Number.POSITIVE_INFINITY }: RequestSchema,
  place: Place,
): string | undefined {
  if (!Array.isArray(value)) return wrong(value, 'must be a list', place)
  if (value.length < minItems) return wrong(value, 'must not be empty', place)
  if (value.length > maxItems) return wrong(value, `must have at most ${maxItems} entries`, place)
  for (const [at, each] of value.entries()) {
    const problem = problemOf(each, items, { ...place, path: `${place.path}[${at}]` })
    if (problem !== undefined) return problem
  }
  return undefined
}

function problemOfText(value: unknown, schema: RequestSchema, place: Place): string | undefined {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, enum: words, examples } = schema
  if (words) {
    if (words.includes(value as string)) return undefined
    const known = words.map((word) => `'${word}'`).join(' or ')
    const meant = typeof value === 'string' ? didYouMean(value, words) : ''
    return `${wrong(value, `must be ${known}`, place).slice(0, -1)}${meant || '.'}`
  }
  if (typeof value !== 'string') {
    const example = examples ? `, such as '${String(examples[0])}'` : ''
    return wrong(value, `must be text${example}`, place)
  }
  if (value.length < minLength) return wrong(value, 'must not be empty', place)
  if (value.length > maxLength) return wrong(value, `must have at most ${maxLength} characters`, place)
  if (pattern !== undefined && !new RegExp(pattern).test(value))
    return wrong(value, `must be ${describeKind(schema)}`, place)
  return undefined
}

function problemOfNumber(
  value: unknown,
  { type, minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY }: RequestSchema,
  place: Place,
): string | undefined {
  const isNumber = type === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value)
  if (isNumber && (value as number) >= minimum && (value as number) <= maximum) return undefined
  const range = maximum === Number.POSITIVE_INFINITY ? `from ${minimum} up` : `from ${minimum} to ${maximum}`
  return wrong(value, `must be a whole number ${range}`, place)
}

function isOfKind(value: unknown, type: RequestSchema['type']): boolean {
  const kind = type === 'integer' ? 'number' : type
  return typeof value === kind && value !== null && !Array.isArray(value)
}

function describeKind({ type, pattern, properties, minimum = 0 }: RequestSchema): string {
  if (type === 'integer') return `a whole number from ${minimum} up`
  if (type === 'object') return `an object with ${Object.keys(properties ?? {}).join(', ')}`
  if (pattern?.includes('%') === true) return 'a share such as 5%'
  if (pattern?.includes('a-f') === true) return 'a key: 32 hexadecimal digits'
  return pattern === undefined ? 'text' : "a time such as '30s', '5m' or '1h30m'"
}

function describe({ description = '' }: RequestSchema): string {
  return description.charAt(0).toLowerCase() + description.slice(1)
}

function nameOf({ owner, path }: Place): string {
  return path === '' ? owner : `${path} of ${owner}`
}

function wrong(value: unknown, rule: string, place: Place): string {
  return `${nameOf(place)} is ${show(value)}; it ${rule}.`
}

function show(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  return typeof value === 'string'
    ? `'${value.length > 40 ? `${value.slice(0, 40)}…` : value}'`
    : String(value)
}
