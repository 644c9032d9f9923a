/** What zod, valibot, arktype and others have in common; see standardschema.dev. */
export interface StandardSchema<Output = unknown, Input = unknown> {
  /** What the specification of Standard Schema asks of a schema. */
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
  }
}

/** What a schema makes of a body, as a type. */
export type SchemaOutput<Schema extends StandardSchema> =
  Schema extends StandardSchema<infer Output> ? Output : unknown

/** What a schema takes, as a type: what stands on the wire, before any default or transformation. */
export type SchemaInput<Schema extends StandardSchema> =
  Schema extends StandardSchema<unknown, infer Input> ? Input : unknown

/** What a schema makes of a body: a value, or the reasons why it is not valid. */
export type SchemaResult<Output> =
  | {
      /** The body as the schema returns it. */
      readonly value: Output
      /** Missing when the body is valid. */
      readonly issues?: undefined
    }
  | {
      /** Why the body is not valid. */
      readonly issues: readonly SchemaIssue[]
    }

/** One reason why a body is not valid. */
export interface SchemaIssue {
  /** What is wrong, as the schema says it. */
  readonly message: string
  /** Where in the body. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

export function isStandardSchema(value: unknown): value is StandardSchema {
  const given = value as Partial<StandardSchema> | null | undefined
  return typeof given?.['~standard']?.validate === 'function'
}

/** `items.0.price: must be a number; …`, for the first few of what a schema found. */
export function describeIssues(issues: readonly SchemaIssue[]): string {
  const problems = issues.slice(0, 5).map(describeIssue).join('; ') || 'it does not say why'
  return issues.length > 5 ? `${problems}; and ${issues.length - 5} more` : problems
}

function describeIssue({ message, path = [] }: SchemaIssue): string {
  const at = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
  return at === '' ? message : `${at}: ${message}`
}
