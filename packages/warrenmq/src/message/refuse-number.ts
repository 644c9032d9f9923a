import { InvalidArgumentError } from '../errors.ts'

/**
 * Refuses what is no number from 0 up: text and NaN would be compared with, and the answer would always be no. Undefined
 * was not said. `what` begins the sentence: `limit of redrive()`.
 */
export function refuseNumber(what: string, value: unknown): void {
  if (value === undefined || (typeof value === 'number' && value >= 0)) return
  const shown = typeof value === 'string' ? `'${value}'` : String(value)
  throw new InvalidArgumentError(`${what} is ${shown}; it must be a number, 0 or more.`)
}
