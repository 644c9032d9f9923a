/** The part of JSON Schema that requests are described in; `Value` is what it describes. */
export interface RequestSchema<Value = unknown> {
  /** For the compiler alone. */
  readonly describes?: Value
  /** The name of the type in an API description. */
  readonly title?: string
  /** What the field is for, in the words of `--help` and the API reference. */
  readonly description?: string
  /** The JSON type; undefined where `anyOf` or `enum` says enough. */
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'null'
  /** Of an object: its fields, by name. */
  readonly properties?: Readonly<Record<string, RequestSchema>>
  /** Of an object: the fields that must be there. */
  readonly required?: readonly string[]
  /** Of an object: false refuses fields that `properties` does not name. */
  readonly additionalProperties?: boolean
  /** Of an object: the most fields. */
  readonly maxProperties?: number
  /** Of an array: what each item is. */
  readonly items?: RequestSchema
  /** Of an array: the fewest items. */
  readonly minItems?: number
  /** Of an array: the most items. */
  readonly maxItems?: number
  /** The value fits one of these. */
  readonly anyOf?: readonly RequestSchema[]
  /** The only texts that are allowed. */
  readonly enum?: readonly string[]
  /** Of a number: the smallest that is allowed. */
  readonly minimum?: number
  /** Of a number: the largest that is allowed. */
  readonly maximum?: number
  /** Of a text: the fewest characters. */
  readonly minLength?: number
  /** Of a text: the most characters. */
  readonly maxLength?: number
  /** Of a text: a regular expression that it matches. */
  readonly pattern?: string
  /** What a field counts as that is not there. */
  readonly default?: unknown
  /** Values for the documentation. */
  readonly examples?: readonly unknown[]
}
