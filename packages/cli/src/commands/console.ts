import { onSignals, parseAmqpUrl, readRecoverySection } from 'warrenmq/operations'
import type { CliCommand, CommandInput, ExitCode } from '../command.ts'
import { addBrokerOptions, readBrokerOptions } from '../options/broker-options.ts'
import { addConfigOption } from '../options/config-options.ts'
import { addConsoleOptions } from '../options/console-options.ts'
import type { Terminal } from '../output/terminal.ts'
import { serveConsoleHere } from '../serve-console-here.ts'
import { type CommandBroker, withBroker } from '../with-broker.ts'

/** `warren console`: the console for one person, without a server to set up. */
export const consoleCommand: CliCommand = {
  name: 'console',
  summary: 'open the console for a broker in your browser; listens on this machine only',
  example: 'warren console --url amqp://ann:secret@rabbit.example.com',
  configure: (command) => {
    addBrokerOptions(command)
    addConfigOption(command)
    addConsoleOptions(command)
  },
  run: (input, terminal) => withBroker(input, (broker) => serveUntilTold(broker, input, terminal)),
}

async function serveUntilTold(
  commandBroker: CommandBroker,
  input: CommandInput,
  terminal: Terminal,
): Promise<ExitCode> {
  const { consuming, publishing, management, vhost, topology, recovery } = commandBroker
  const types = recovery && readRecoverySection(recovery).types
  const { username, password } = parseAmqpUrl(readBrokerOptions(input).url)[0]!
  const ended = new Promise((resolve) => {
    onSignals(['SIGINT', 'SIGTERM'], resolve) // before anybody can know that it runs and end it
  })
  const served = await serveConsoleHere({
    broker: { consuming, publishing, management, vhost, topology, types },
    credentials: { username, password: password.reveal() },
    input,
    terminal,
  })
  await ended
  await served.close()
  terminal.say('Stopped. Running tasks are interrupted, with receipts; another server can resume them.')
  return 0
}
