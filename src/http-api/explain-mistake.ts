import type { TSchema } from 'typebox'
import Value from 'typebox/value'
import { didYouMean } from '../topology/suggest-name.ts'

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
 * What is wrong with a value, and what is possible instead; undefined where nothing is. Of several forms that a value
 * may have, the one is meant whose mistakes lie deepest: the others do not fit at all.
 */
export function explainMistake(
  schema: TSchema,
  { name, value }: { readonly name: string; readonly value: unknown },
): string | undefined {
  const mistakes: readonly Mistake[] = Value.Errors(schema, value)
  const deepest = Math.max(...mistakes.map(depthOf))
  const first = mistakes.find((each) => depthOf(each) === deepest)
  if (!first) return undefined
  const there = mistakes.filter(({ instancePath }) => instancePath === first.instancePath)
  return `${name}${first.instancePath.replaceAll('/', '.')} ${sayAll(schema, first, there)}`
}

function depthOf({ instancePath }: Mistake): number {
  return instancePath.split('/').length
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
  return `is not known; there is ${known.join(', ')}${didYouMean(name, known)}`
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
  ...{ object: 'an object', array: 'a list', string: 'text', boolean: 'true or false' },
  ...{ integer: 'a whole number', number: 'a number' },
}

function schemaAt(schema: TSchema, path: string): JsonSchema {
  let found: unknown = schema
  for (const step of path.split('/').slice(1)) found = (found as Record<string, unknown> | undefined)?.[step]
  return (found ?? {}) as JsonSchema
}
