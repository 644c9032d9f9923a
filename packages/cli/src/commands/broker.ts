import { readFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { ConfigError, onSignals } from 'warrenmq/operations'
import { type EmbeddedBroker, type ProfileName, profileNames, startEmbeddedBroker } from 'warrenmq/testing'
import type { CliCommand } from '../command.ts'
import { isTooDeep, tooDeep } from '../config/is-too-deep.ts'
import { readPort } from '../options/read-port.ts'
import type { Terminal } from '../output/terminal.ts'

/** `warren broker`: something to develop against where no RabbitMQ is installed. */
export const broker: CliCommand = {
  name: 'broker',
  summary: 'run a development broker that behaves like RabbitMQ and stores nothing',
  example: 'warren broker --profile 4.0 --definitions definitions.json',
  configure: addOptions,
  run: async ({ options }, terminal) => {
    const file = options.definitions as string | undefined
    const definitions = file === undefined ? undefined : await readDefinitions(file)
    const running = await startEmbeddedBroker({
      port: options.port as number,
      managementPort: options.managementPort as number,
      profile: options.profile as ProfileName,
      ...(definitions === undefined ? {} : { definitions }),
    })
    const ended = new Promise((resolve) => {
      onSignals(['SIGINT', 'SIGTERM'], resolve) // before anybody can know that it runs and end it
    })
    announce(running, file, terminal)
    await ended
    await running.stop()
    terminal.say('Stopped. All connections are closed, and everything in the broker is gone.')
    return 0
  },
}

function addOptions(command: Command): void {
  command
    .option('--port <number>', 'the port for AMQP clients; 0 picks a free one', readPort, 5672)
    .option('--management-port <number>', 'the port for the HTTP API; 0 picks a free one', readPort, 15672)
    .addOption(
      new Option('--profile <version>', 'the RabbitMQ version to imitate')
        .choices(profileNames)
        .default('4.3'),
    )
    .option('--definitions <file>', 'a definitions.json to start with, e.g. from `warren export`')
}

async function readDefinitions(file: string): Promise<object> {
  let content: string
  try {
    content = await readFile(file, 'utf8')
  } catch (cause) {
    throw unreadable(file, 'cannot be read. Check the name and the permissions', cause)
  }
  let value: unknown
  try {
    value = JSON.parse(content)
  } catch (cause) {
    throw unreadable(file, `is not JSON: ${(cause as Error).message}`, cause)
  }
  if (isTooDeep(value)) throw unreadable(file, `cannot be read: ${tooDeep}`)
  return value as object
}

function unreadable(file: string, why: string, cause?: unknown): ConfigError {
  return new ConfigError({ code: 'CONFIG_UNREADABLE', file, message: `${file} ${why}.` }, { cause })
}

function announce(running: EmbeddedBroker, file: string | undefined, terminal: Terminal): void {
  const { url, managementUrl, version } = running
  terminal.say(`${terminal.paint('bold', 'Warren')} runs a broker that behaves like RabbitMQ ${version}.`)
  terminal.say(`  AMQP      ${url}`)
  terminal.say(`  HTTP API  ${managementUrl}`)
  if (file !== undefined) terminal.say(`  loaded    ${file}`)
  terminal.say('For development: it listens on this machine only and stores nothing. Press Ctrl-C to stop.')
  terminal.result({ url, managementUrl, version, definitions: file ?? null })
}
