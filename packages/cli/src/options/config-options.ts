import { type Command, InvalidArgumentError as InvalidOptionError } from 'commander'
import { WarrenError } from 'warrenmq'
import { parseBrokerVersion, parseDuration } from 'warrenmq/operations'

/** `--config`, for every command that reads a topology. */
export function addConfigOption(command: Command): void {
  command.option(
    '--config <file>',
    'the topology (default: warren.config.ts, .js, .mjs, .json or .yaml here)',
  )
}

/** The newest line of RabbitMQ whose rules are known: what is proved and written where nobody names another. */
export const newestBrokerVersion = '4.3'

/** `--broker-version`, for commands that work without a broker. */
export function addBrokerVersionOption(command: Command): void {
  command.option(
    '--broker-version <version>',
    'the RabbitMQ version to write for, such as 3.10 or 4.0.5',
    readBrokerVersion,
    newestBrokerVersion,
  )
}

/** Refuses a version at the door, so that it is bad usage and not a failure half way. */
export function readBrokerVersion(text: string): string {
  return asUsage(() => parseBrokerVersion(text).text)
}

/** Milliseconds of an option such as `--wait 60s`. */
export function readDurationOption(text: string): number {
  return asUsage(() => parseDuration(text))
}

function asUsage<Value>(read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    throw error instanceof WarrenError ? new InvalidOptionError(error.message) : error
  }
}
