import { InvalidArgumentError } from '../errors.ts'
import { suggestSetting } from './suggest-name.ts'

/** The names of an options type: the compiler refuses a list that lacks one or has one too many. */
export type OptionNames<Options> = Readonly<Record<keyof Options, unknown>>

/**
 * Refuses options that nobody reads, each with the name that was most likely meant. A misspelt option is otherwise an
 * option not given, and a compiler sees only what is written in TypeScript. `owner` begins the sentence: `publish()`.
 */
export function refuseUnknown(
  owner: string,
  options: unknown,
  known: Readonly<Record<string, unknown>>,
): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new InvalidArgumentError(
      `${owner} takes an object with ${Object.keys(known).join(', ')}; it got ${describe(options)}.`,
    )
  }
  const names = Object.keys(known)
  const unknown = Object.entries(options).flatMap(([name, value]) =>
    value === undefined || Object.hasOwn(known, name) ? [] : [name],
  )
  if (unknown.length === 0) return // what is undefined was not said
  const sentences = unknown.map((name) => `${owner} has no option "${name}"; ${wayOut(name, names)}`)
  throw new InvalidArgumentError(sentences.join(' '))
}

/** What was most likely meant by a name that nobody knows; else the names that there are. */
export function wayOut(name: string, known: readonly string[]): string {
  const meant = suggestSetting(name, known)
  return meant === undefined ? `it has ${known.join(', ')}.` : `did you mean "${meant}"?`
}

function describe(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'a list' : `${typeof value === 'undefined' ? '' : 'a '}${typeof value}`
}
