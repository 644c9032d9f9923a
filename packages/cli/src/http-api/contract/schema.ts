import Type, {
  type Static,
  type TArray,
  type TBoolean,
  type TInteger,
  type TNull,
  type TNumber,
  type TObject,
  type TObjectOptions,
  type TProperties,
  type TSchema,
  type TSchemaOptions,
  type TString,
  type TUnion,
  type TUnknown,
  type TUnsafe,
} from 'typebox'

/**
 * How the contract is written: every schema has the words and the example that the OpenAPI document shows. A schema
 * with a title becomes a named one there.
 */

type Frozen<Value> = Value extends string
  ? Value // also `string & {}`, which else counts as an object
  : Value extends readonly (infer Item)[]
    ? readonly Frozen<Item>[]
    : Value extends object
      ? { readonly [Name in keyof Value]: Frozen<Value[Name]> }
      : Value

/** What a schema describes, read-only all the way down. */
export type SchemaValue<Schema extends TSchema> = Frozen<Static<Schema>>

/** A misspelt field must not be taken for one that was left out, so a request with an unknown field is refused. */
export const closed: { readonly additionalProperties: false } = { additionalProperties: false }

export function text(description: string, example: string, rules: TSchemaOptions = {}): TString {
  return Type.String({ description, examples: [example], ...rules })
}

export function time(description: string, example = '2030-01-31T18:00:00.000Z'): TString {
  return text(description, example)
}

export function count(description: string, example: number): TInteger {
  return integer(description, example, { minimum: 0 })
}

export function integer(description: string, example: number, rules: TSchemaOptions = {}): TInteger {
  return Type.Integer({ description, examples: [example], ...rules })
}

export function number(description: string, example: number): TNumber {
  return Type.Number({ description, examples: [example] })
}

export function flag(description: string, example: boolean): TBoolean {
  return Type.Boolean({ description, examples: [example] })
}

/** The first of the names is the example. */
export function oneOf<const Name extends string>(
  names: readonly Name[],
  description: string,
  rules: TSchemaOptions = {},
): TUnsafe<Name> {
  return Type.Unsafe<Name>({ type: 'string', enum: [...names], description, examples: [names[0]], ...rules })
}

export function list<Item extends TSchema>(items: Item, description: string): TArray<Item> {
  return Type.Array(items, { description })
}

/** Several values in a query, separated by commas or given one by one. */
export function listInQuery<Item extends TSchema>(items: Item, description: string): TArray<Item> {
  const form = { style: 'form', explode: false }
  return Type.Array(items, { description, minItems: 1, maxItems: 50, ...form })
}

/** The words and the example are those of the value. */
export function orNull<Schema extends TSchema>(schema: Schema): TUnion<[Schema, TNull]> {
  const { description, examples, ...bare } = schema as unknown as TSchemaOptions
  if (bare.title !== undefined) return Type.Union([schema, Type.Null()])
  const words = { description: description!, ...(examples !== undefined && { examples }) }
  return Type.Union([bare as unknown as Schema, Type.Null()], words)
}

export function anything(description: string, example: unknown): TUnknown {
  return Type.Unknown({ description, examples: [example] })
}

/** Names and values that are not ours to list. */
export function table(description: string, example: object): Type.TRecord<string, TUnknown> {
  const record = Type.Record(Type.String(), Type.Unknown(), { description, examples: [example] })
  return record as Type.TRecord<string, TUnknown>
}

export function object<Fields extends TProperties>(description: string, fields: Fields): TObject<Fields> {
  return Type.Object(fields, { description })
}

/** An object that clients know by this name. */
export function named<Fields extends TProperties>(
  title: string,
  description: string,
  fields: Fields,
  rules: TObjectOptions = {},
): TObject<Fields> {
  return Type.Object(fields, { title, description, ...rules })
}

/** What stands in a path or a query: nothing else may. */
export function parameters<Fields extends TProperties>(fields: Fields): TObject<Fields> {
  return Type.Object(fields, closed)
}

/** The same schema in other words, where what it is depends on where it stands. */
export function as<Schema extends TSchema>(schema: Schema, description: string): Schema {
  return { ...schema, description }
}

const told = new WeakMap<TSchema, TSchema>()

/**
 * For what another version or anybody else may have written: the server takes and gives it as `loose` says, so that
 * one odd record stops no list, and clients are told what it should be.
 */
export function tellAs<Schema extends TSchema>(loose: TSchema, schema: Schema): Schema {
  told.set(loose, schema)
  return loose as Schema
}

/** What clients are told of a schema: itself, unless `tellAs` says otherwise. */
export function toldOf(schema: TSchema): TSchema {
  return told.get(schema) ?? schema
}
