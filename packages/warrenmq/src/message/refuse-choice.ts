import { InvalidArgumentError } from '../errors.ts'
import { didYouMean } from './suggest-name.ts'

/**
 * Refuses a value that is none of those there are, with the one that was most likely meant. Undefined was not said. `what`
 * begins the sentence: `to of redrive()`.
 */
export function refuseChoice(what: string, value: unknown, choices: readonly string[]): void {
  if (value === undefined || choices.some((choice) => choice === value)) return
  const shown = typeof value === 'string' ? `'${value}'` : String(value)
  const known = choices.map((choice) => `'${choice}'`).join(', ')
  const meant = typeof value === 'string' ? didYouMean(value, choices) : ''
  throw new InvalidArgumentError(`${what} is ${shown}; it must be one of ${known}${meant || '.'}`)
}
