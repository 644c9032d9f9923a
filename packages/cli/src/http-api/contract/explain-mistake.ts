import type { TSchema } from 'typebox'
import { Settings } from 'typebox/system'
import Value from 'typebox/value'
import { didYouMean } from 'warrenmq/operations'

/** What a schema finds wrong, as far as it is read here. */
interface Mistake {
  readonly keyword: string
  /** Where in the schema, and where in the value. */
  readonly schemaPath: string
  readonly instancePath: string
  readonly message: string
}

interface JsonSchema {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, unknown>>
}

/**
 * All that is wrong with a value, the highest place first, and what is possible there instead. Of several forms that a
 * value may have, the one is meant whose mistakes lie deepest: the others do not fit at all.
 */
export function explainMistakes(
  schema: TSchema,
  { name, value }: { readonly name: string; readonly value: unknown },
): readonly string[] {
  const mistakes = findAll(schema, value)
  const places = [...new Set(mistakes.map(({ instancePath }) => instancePath))]
  const deepest = places.filter((place) => !places.some((other) => other.startsWith(`${place}/`)))
  return deepest
    .toSorted((one, other) => depthOf(one) - depthOf(other))
    .map((place) => {
      const there = mistakes.filter(({ instancePath }) => instancePath === place)
      return `${name}${place.replaceAll('/', '.')} ${sayAll(schema, there[0]!, there)}`
    })
}

/** A slip costs three entries and the usual most are eight. A config is its owner's own, so it may have more. */
function findAll(schema: TSchema, value: unknown): readonly Mistake[] {
  const { maxErrors } = Settings.Get()
  Settings.Set({ maxErrors: 1_000 })
  try {
    return Value.Errors(schema, value)
  } finally {
    Settings.Set({ maxErrors })
  }
}

function depthOf(place: string): number {
  return place.split('/').length
}

function sayAll(schema: TSchema, first: Mistake, mistakes: readonly Mistake[]): string {
  // A name that the object does not have is judged by `additionalProperties: false`, which no value fits.
  if (first.keyword === 'boolean') return sayUnknown(schema, first)
  const possible = new Set(mistakes.flatMap((each) => sayPossible(schemaAt(schema, each.schemaPath), each)))
  return possible.size === 0 ? first.message : `must be ${[...possible].join(' or ')}`
}

function sayUnknown(schema: TSchema, { schemaPath, instancePath }: Mistake): string {
  const around = schemaAt(schema, schemaPath.slice(0, schemaPath.lastIndexOf('/')))
  const known = Object.keys(around.properties ?? {})
  const name = instancePath.slice(instancePath.lastIndexOf('/') + 1)
  return `is unknown; allowed: ${known.join(', ')}${didYouMean(name, known)}`
}

function sayPossible(schema: JsonSchema, { keyword }: Mistake): readonly string[] {
  // Both a wrong type and a wrong value are told by the values that are right.
  if (schema.const !== undefined) return [JSON.stringify(schema.const)]
  if (schema.enum) return schema.enum.map((each) => JSON.stringify(each))
  return keyword === 'type' ? [sayType(schema)] : []
}

function sayType({ type = '', properties }: JsonSchema): string {
  return type === 'object' && properties
    ? `an object with ${Object.keys(properties).join(', ')}`
    : (typeNames[type] ?? type)
}

const typeNames: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'a list',
  string: 'text',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
}

function schemaAt(schema: TSchema, path: string): JsonSchema {
  let found: unknown = schema
  for (const step of path.split('/').slice(1)) found = (found as Record<string, unknown> | undefined)?.[step]
  return (found ?? {}) as JsonSchema
}
