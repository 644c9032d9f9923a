import type { TopologyMistake } from '../errors.ts'
import { didYouMean, suggestSetting } from '../message/suggest-name.ts'

/** The part of JSON Schema (draft 7) that the topology's schema uses. */
export interface Schema {
  readonly $schema?: string
  readonly $ref?: string
  readonly title?: string
  readonly description?: string
  readonly type?: 'object' | 'array' | 'string' | 'boolean' | 'integer' | 'number'
  readonly enum?: readonly (string | boolean)[]
  /** Values that a pattern takes, for editors and for a slip that is close to one. */
  readonly examples?: readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: false | Schema
  readonly items?: Schema
  readonly minItems?: number
  readonly minLength?: number
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly definitions?: Readonly<Record<string, Schema>>
}

export type Path = readonly (string | number)[]

/** Every place where a value is not of the schema's shape, in words for the person who wrote it. */
export function checkShape(value: unknown, root: Schema): readonly TopologyMistake[] {
  return [...check({ value, schema: root, root, path: [] })].map(({ path, problem }) => ({
    path: renderPath(path),
    problem,
  }))
}

/** `queues['billing.orders'].retry.delays[0]` */
export function renderPath(path: Path): string {
  if (path.length === 0) return 'topology'
  return path.map(renderStep).join('').replace(/^\./, '')
}

function renderStep(step: string | number): string {
  if (typeof step === 'number') return `[${step}]`
  return /^[\w$]+$/.test(step) ? `.${step}` : `['${step}']`
}

interface Checked {
  readonly value: unknown
  readonly schema: Schema
  readonly root: Schema
  readonly path: Path
}

interface ShapeMistake {
  readonly path: Path
  readonly problem: string
}

function* check({ value, schema: given, root, path }: Checked): Generator<ShapeMistake> {
  const schema = given.$ref === undefined ? given : definitionOf(root, given.$ref)
  if (schema.anyOf !== undefined) {
    yield* checkAlternatives({ value, schema, root, path })
    return
  }
  if (schema.type !== undefined && !isOfType(value, schema.type)) {
    yield { path, problem: `must be ${schema.description ?? typeNames[schema.type]}, not ${show(value)}` }
    return
  }
  if (schema.enum !== undefined && !schema.enum.some((choice) => choice === value)) {
    yield { path, problem: unknownChoice(value, schema) }
    return
  }
  if (typeof value === 'string') yield* checkText({ value, schema, path })
  if (typeof value === 'number') yield* checkNumber({ value, schema, path })
  if (Array.isArray(value)) yield* checkList({ value, schema, root, path })
  else if (isRecord(value)) yield* checkRecord({ value, schema, root, path })
}

// The alternatives differ in their JSON type, so the one of the value's own type says best what is wrong.
function* checkAlternatives({ value, schema, root, path }: Checked): Generator<ShapeMistake> {
  const alternatives = (schema.anyOf ?? []).map((one) =>
    one.$ref === undefined ? one : definitionOf(root, one.$ref),
  )
  const meant = alternatives.find((one) => one.type !== undefined && isOfType(value, one.type))
  if (alternatives.some((one) => check({ value, schema: one, root, path }).next().done)) return
  if (meant === undefined || meant.pattern !== undefined) {
    yield { path, problem: `must be ${schema.description ?? 'of another type'}, not ${show(value)}` }
    return
  }
  yield* check({ value, schema: meant, root, path })
}

function* checkText({
  value,
  schema,
  path,
}: {
  value: string
  schema: Schema
  path: Path
}): Generator<ShapeMistake> {
  if (schema.minLength !== undefined && value.length < schema.minLength)
    yield { path, problem: 'must not be empty' }
  if (schema.pattern !== undefined && !patternOf(schema.pattern).test(value)) {
    const hint = didYouMean(value, schema.examples ?? [])
    yield {
      path,
      problem: `must be ${schema.description ?? `like ${schema.pattern}`}, not ${show(value)}${hint}`,
    }
  }
}

// A schema has few patterns, and each is tried on every value of its kind.
function patternOf(source: string): RegExp {
  const known = patterns.get(source)
  if (known !== undefined) return known
  const made = new RegExp(source, 'u')
  patterns.set(source, made)
  return made
}

const patterns = new Map<string, RegExp>()

function* checkNumber({
  value,
  schema,
  path,
}: {
  value: number
  schema: Schema
  path: Path
}): Generator<ShapeMistake> {
  const { minimum, maximum } = schema
  if (minimum !== undefined && value < minimum)
    yield { path, problem: `must be at least ${minimum}, not ${value}` }
  if (maximum !== undefined && value > maximum)
    yield { path, problem: `must be at most ${maximum}, not ${value}` }
}

function* checkList({
  value,
  schema,
  root,
  path,
}: Checked & { value: readonly unknown[] }): Generator<ShapeMistake> {
  if (schema.minItems !== undefined && value.length < schema.minItems)
    yield { path, problem: 'must not be empty' }
  if (schema.items === undefined) return
  for (const [index, item] of value.entries()) {
    yield* check({ value: item, schema: schema.items, root, path: [...path, index] })
  }
}

function* checkRecord({
  value,
  schema,
  root,
  path,
}: Checked & { value: Readonly<Record<string, unknown>> }): Generator<ShapeMistake> {
  const properties = schema.properties ?? {}
  for (const name of schema.required ?? []) {
    if (value[name] === undefined) yield { path, problem: `needs "${name}"` }
  }
  for (const [name, item] of Object.entries(value)) {
    if (item === undefined) continue
    const ofName = Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties
    if (ofName === false)
      yield { path: [...path, name], problem: unknownSetting(name, Object.keys(properties)) }
    else if (ofName !== undefined) yield* check({ value: item, schema: ofName, root, path: [...path, name] })
  }
}

function unknownSetting(name: string, known: readonly string[]): string {
  const meant = suggestSetting(name, known)
  return `unknown setting "${name}"; ${meant === undefined ? `expected one of ${known.join(', ')}` : `did you mean "${meant}"?`}`
}

function unknownChoice(value: unknown, { enum: choices = [], title = 'value' }: Schema): string {
  const texts = choices.map(String)
  const hint = typeof value === 'string' ? didYouMean(value, texts) : ''
  return `unknown ${title} ${show(value)}${hint === '' ? `; expected one of ${texts.join(', ')}` : hint}`
}

function definitionOf(root: Schema, reference: string): Schema {
  return root.definitions?.[reference.replace('#/definitions/', '')] ?? {}
}

const typeNames = {
  object: 'an object',
  array: 'a list',
  string: 'text',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
} as const

function isOfType(value: unknown, type: NonNullable<Schema['type']>): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isRecord(value)
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'number') return Number.isFinite(value)
  return typeof value === type
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function show(value: unknown): string {
  if (value === undefined) return 'nothing'
  // JSON has no word for infinity, and null is something else.
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (typeof value === 'function' || typeof value === 'bigint') return `a ${typeof value}`
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}
