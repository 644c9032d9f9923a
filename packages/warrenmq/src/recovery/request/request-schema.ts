/** The part of JSON Schema that requests are described in; `Value` is what it describes. */
export interface RequestSchema<Value = unknown> {
  /** For the compiler alone. */
  readonly describes?: Value
  readonly title?: string
  readonly description?: string
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'null'
  readonly properties?: Readonly<Record<string, RequestSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean
  readonly maxProperties?: number
  readonly items?: RequestSchema
  readonly minItems?: number
  readonly maxItems?: number
  readonly anyOf?: readonly RequestSchema[]
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly default?: unknown
  readonly examples?: readonly unknown[]
}
