import { ConsumerError, InvalidArgumentError } from '../../errors.ts'
import {
  describeIssues,
  isStandardSchema,
  type SchemaIssue,
  type StandardSchema,
} from '../../message/standard-schema.ts'
import type { Middleware } from '../handler.ts'
import type { ConsumedMessage } from '../run/consumed-message.ts'

/**
 * Gives the handler what the schema made of the body; a message whose body does not fit it is parked immediately.
 * @example
 * ```ts
 * await warren.consume('orders', save, { middleware: [validateBody(schema)] })
 * ```
 */
export function validateBody(schema: StandardSchema): Middleware {
  // Without a compiler anything may come, and every message would be parked by it.
  if (!isStandardSchema(schema))
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
  return new ConsumerError({
    code: 'MESSAGE_INVALID',
    message: `${which} does not fit its schema: ${describeIssues(issues)}.`,
    isPermanent: true,
  })
}
