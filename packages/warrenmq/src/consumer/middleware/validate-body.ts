import { ConsumerError, InvalidArgumentError } from '../../errors.ts'
import type { Middleware } from '../handler.ts'
import type { ConsumedMessage } from '../run/consumed-message.ts'

/** What zod, valibot, arktype and others have in common; see standardschema.dev. */
export interface StandardSchema<Output = unknown> {
  /** What the specification of Standard Schema asks of a schema. */
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
  }
}

/** What a schema makes of a body, as a type. */
export type SchemaOutput<Schema extends StandardSchema> =
  Schema extends StandardSchema<infer Output> ? Output : unknown

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

/**
 * Gives the handler what the schema made of the body; a body that fails it is parked at once.
 * @example
 * ```ts
 * await warren.consume('orders', save, { middleware: [validateBody(schema)] })
 * ```
 */
export function validateBody(schema: StandardSchema): Middleware {
  // Without a compiler anything may come, and every message would be parked by it.
  const given = schema as Partial<StandardSchema> | null | undefined
  if (typeof given?.['~standard']?.validate !== 'function')
    throw new InvalidArgumentError(
      'validateBody() needs a Standard Schema, as zod, valibot and arktype make them.',
    )
  return (next) => async (message, context) => {
    const result = await schema['~standard'].validate(message.body)
    if (result.issues) throw invalid(message, result.issues)
    return next(withBody(message, result.value), context)
  }
}

/** The same message with another body: everything else is still read from the original. */
function withBody(message: ConsumedMessage, body: unknown): ConsumedMessage {
  return new Proxy(message, {
    get: (target, name) => (name === 'body' ? body : Reflect.get(target, name, target)),
  })
}

function invalid({ id }: ConsumedMessage, issues: readonly SchemaIssue[]): ConsumerError {
  const which = id === undefined ? 'The message' : `The message "${id}"`
  const problems = issues.slice(0, 5).map(describe).join('; ') || 'it does not say why'
  const more = issues.length > 5 ? `; and ${issues.length - 5} more` : ''
  return new ConsumerError({
    code: 'MESSAGE_INVALID',
    message: `${which} does not fit its schema: ${problems}${more}.`,
    isPermanent: true,
  })
}

function describe({ message, path = [] }: SchemaIssue): string {
  const at = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
  return at === '' ? message : `${at}: ${message}`
}
