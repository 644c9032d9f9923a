import { InvalidArgumentError } from '../errors.ts'
import { type Duration, readDuration } from './duration.ts'

/** Options that may be said as a duration, or under their older name in milliseconds: `deadline`, or `deadlineMs`. */
export type Times<Name extends string> = {
  readonly [Each in Name]?: Duration | undefined
} & { readonly [Each in `${Name}Ms`]?: number | undefined }

/**
 * The same options with every time in milliseconds, under the name that ends in `Ms`. Both names at once are refused,
 * since nobody can tell which is meant. `owner` says whose options they are: `publisher()`.
 */
export function readTimes<Name extends string, Options extends Times<Name>>(
  owner: string,
  options: Options,
  names: readonly Name[],
): Omit<Options, Name> {
  const read: Record<string, unknown> = { ...options }
  for (const name of names) {
    const said = read[name]
    delete read[name]
    if (said === undefined) continue
    if (read[`${name}Ms`] !== undefined)
      throw new InvalidArgumentError(
        `${owner} got ${name} and ${name}Ms, which are the same. Use only ${name}.`,
      )
    const reading = readDuration(said)
    if (!reading.isValid) throw new InvalidArgumentError(`${name} of ${owner}: ${reading.problem}`)
    read[`${name}Ms`] = reading.milliseconds
  }
  return read as Omit<Options, Name>
}
