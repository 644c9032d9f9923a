import { type Command, InvalidArgumentError as InvalidOptionError, Option } from 'commander'
import { WarrenError } from 'warrenmq'
import { parseDuration, parseFilter, type RequestSchema } from 'warrenmq/operations'

type Fields = NonNullable<RequestSchema['properties']>

/** An option that is a field of a request, in the words in which the request describes it. */
export function requestOption(flags: string, field: RequestSchema | undefined): Option {
  const { description = '', default: preset, enum: words } = field ?? {}
  const text = (description.charAt(0).toLowerCase() + description.slice(1)).replace(/\.$/, '')
  const hasPreset = preset !== undefined && preset !== false
  const option = new Option(flags, `${text.replaceAll('`', '')}${hasPreset ? ` (default: ${preset})` : ''}`)
  return words ? option.choices([...words]) : option
}

/** `--where`, for every command that chooses among dead letters. */
export function addWhereOption(command: Command, { where }: Fields): void {
  const once = saidOnce('Join the filters with "and" or "or" in one --where.')
  command.addOption(requestOption('--where <filter>', where).argParser(once))
}

/** `--key`, for every command that takes messages which somebody chose one by one. */
export function addKeyOption(command: Command): void {
  const collect = (key: string, before: readonly string[] | undefined) => [...(before ?? []), key]
  const words = 'only the message with this key, as the HTTP API and the console list it; may be repeated'
  command.addOption(new Option('--key <key>', words).argParser(collect))
}

/** `--snapshot`, for every command that can read what one look has written down. */
export function addSnapshotOption(command: Command): void {
  command.option('--snapshot <file>', 'read this file of `warren dlq snapshot` instead of the queue')
}

/** For every command that takes messages from a queue. */
export function addQueueOptions(command: Command, { acceptDeliveryLimit, hold }: Fields): void {
  command.addOption(requestOption('--accept-delivery-limit', acceptDeliveryLimit))
  command.addOption(requestOption('--hold <time>', hold).argParser(readTime))
  addByOption(command)
}

/** `--by`, for every command that takes the lock of a queue: whoever comes second is told who holds it. */
export function addByOption(command: Command): void {
  command.option('--by <name>', 'your name, for the records (also WARREN_OPERATOR; default: your user name)')
}

/** What the shared options say; a request has only what was said. A filter that is none is refused before anything is done. */
export function readQueueRequest({ where, acceptDeliveryLimit, hold }: Readonly<Record<string, unknown>>): {
  readonly where?: string
  readonly acceptDeliveryLimit?: boolean
  readonly hold?: string
} {
  if (typeof where === 'string') parseFilter(where)
  return {
    ...(typeof where === 'string' && { where }),
    ...(acceptDeliveryLimit === true && { acceptDeliveryLimit }),
    ...(typeof hold === 'string' && { hold }),
  }
}

/** Commander takes the last of two without a word, and what was chosen by the first is then moved or deleted all the same. */
export function saidOnce(wayOut: string): (text: string, before: string | undefined) => string {
  return (text, before) => {
    if (before === undefined) return text
    throw new InvalidOptionError(`It is given twice. ${wayOut}`)
  }
}

export function readCount(text: string): number {
  const count = Number(text)
  if (Number.isSafeInteger(count) && count > 0) return count
  throw new InvalidOptionError('It must be a whole number, 1 or more.')
}

/** A time as it was written, once it is known to be one. */
export function readTime(text: string): string {
  try {
    parseDuration(text)
    return text
  } catch (error) {
    throw error instanceof WarrenError ? new InvalidOptionError(error.message) : error
  }
}
