import { type Command, InvalidArgumentError as InvalidOptionError } from 'commander'
import { type IncomingMessage, messageFilter, parseFilter } from 'warrenmq/operations'
import { readDurationOption } from './config-options.ts'

/** `--where`, for every command that chooses among dead letters. */
export function addWhereOption(command: Command): void {
  command.option(
    '--where <filter>',
    'only messages such as: type:OrderPlaced and (cause:Timeout or died<2h) and not header.tenant:acme',
    saidOnce('Join the filters by "and" or "or" in one --where.'),
  )
}

/** Commander takes the last of two without a word, and what was chosen by the first is then moved or deleted all the same. */
export function saidOnce(wayOut: string): (text: string, before: string | undefined) => string {
  return (text, before) => {
    if (before === undefined) return text
    throw new InvalidOptionError(`It is said twice. ${wayOut}`)
  }
}

/** `--accept-delivery-limit`, for every command that takes messages from a queue. */
export function addAcceptOption(command: Command): void {
  command.option(
    '--accept-delivery-limit',
    'go on although the queue deletes messages that are over its delivery limit when a connection breaks',
  )
}

export function readAccept({ acceptDeliveryLimit }: Readonly<Record<string, unknown>>): {
  readonly acceptDeliveryLimit: boolean
} {
  return { acceptDeliveryLimit: acceptDeliveryLimit === true }
}

/** `--by`, for every command that takes the lock of a queue: whoever comes second is told who holds it. */
export function addByOption(command: Command): void {
  command.option('--by <name>', 'who (also WARREN_OPERATOR; default: your user name)')
}

/** For every command that holds messages while it looks at them. */
export function addLookOptions(command: Command): void {
  addAcceptOption(command)
  addByOption(command)
  command.option(
    '--hold <time>',
    'give messages back after so long; for a broker with a short consumer_timeout (default: 25m)',
    readDurationOption,
  )
}

export function readLook(options: Readonly<Record<string, unknown>>): {
  readonly acceptDeliveryLimit: boolean
  readonly maxHoldMs?: number
} {
  return { ...readAccept(options), ...(typeof options.hold === 'number' && { maxHoldMs: options.hold }) }
}

export function addCountOption(command: Command): void {
  command.option('--count <n>', 'look at so many from the head', readCount)
}

export function readCount(text: string): number {
  const count = Number(text)
  if (Number.isSafeInteger(count) && count > 0) return count
  throw new InvalidOptionError('It must be a whole number from 1 up.')
}

/** The question that `--where` asks of a message; without it every message will do. */
export function readWhere(options: Readonly<Record<string, unknown>>): (message: IncomingMessage) => boolean {
  return typeof options.where === 'string'
    ? messageFilter(parseFilter(options.where), Date.now())
    : () => true
}
