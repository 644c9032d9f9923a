import { InvalidArgumentError } from '../../errors.ts'
import type { Middleware } from '../handler.ts'

/**
 * Acknowledges messages whose handler threw an error that does not matter, as your function decides.
 * @example
 * ```ts
 * await warren.consume('orders', save, { middleware: [ignoreErrors((error) => error instanceof RangeError)] })
 * ```
 */
export function ignoreErrors(isIgnored: (error: unknown) => boolean): Middleware {
  if (typeof isIgnored !== 'function') {
    throw new InvalidArgumentError(
      'ignoreErrors() takes a function that says whether to ignore an error, such as (error) => error instanceof NotFound.',
    )
  }
  return (next) => async (message, context) => {
    try {
      return await next(message, context)
    } catch (error) {
      if (isIgnored(error)) return undefined
      throw error
    }
  }
}
