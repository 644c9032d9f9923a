import Type, {
  type Static,
  type TArray,
  type TNull,
  type TSchema,
  type TString,
  type TUnion,
  type TUnsafe,
} from 'typebox'

/** A JSON schema that is known to describe `Value`. */
export type Shape<Value> = TSchema & { readonly describes?: Value }

type Frozen<Value> = Value extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Frozen<Value[Name]> }
    : Value
type IsSame<Left, Right> = [Left] extends [Right] ? ([Right] extends [Left] ? true : false) : false

/** Does not compile where the schema and the type of the contract say different things. */
export function shape<Value>(): <Schema extends TSchema>(
  schema: IsSame<Frozen<Static<Schema>>, Value> extends true ? Schema : never,
) => Shape<Value> {
  return (schema) => schema
}

/** What is said nowhere is refused: a misspelt field must not be taken for one that was left out. */
export const closed: { readonly additionalProperties: false } = { additionalProperties: false }
export const text: TString = Type.String()
export const textOrNull: TUnion<[TString, TNull]> = Type.Union([Type.String(), Type.Null()])
export const count: Type.TInteger = Type.Integer({ minimum: 0 })
export const countOrNull: TUnion<[Type.TInteger, TNull]> = Type.Union([Type.Integer(), Type.Null()])
/** RabbitMQ's limit is 255 bytes. */
export const queueName: TString = Type.String({ minLength: 1, maxLength: 255 })
export const filter: TString = Type.String({ minLength: 1, maxLength: 2048 })
export const reason: TString = Type.String({ minLength: 1, maxLength: 1024 })
export const uuid: TString = Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' })

export function oneOf<const Name extends string>(names: readonly Name[]): TUnsafe<Name> {
  return Type.Unsafe<Name>({ type: 'string', enum: [...names] })
}

/** Several of a query, with commas between them or one by one. */
export function listOf<Item extends TSchema>(item: Item): TArray<Item> {
  return Type.Array(item, { minItems: 1, maxItems: 50, style: 'form', explode: false })
}

/** One or the other; their `kind` tells which. */
export function either<Left, Right>(left: Shape<Left>, right: Shape<Right>): Shape<Left | Right> {
  return Type.Union([left, right])
}
