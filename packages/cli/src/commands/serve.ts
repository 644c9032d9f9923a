import { fileURLToPath } from 'node:url'
import { type Command, Option } from 'commander'
import { ManagementError } from 'warrenmq'
import { type Management, onSignals, readRecoverySection } from 'warrenmq/operations'
import type { CliCommand, CommandInput, ExitCode } from '../command.ts'
import { configNames, findDeclaration } from '../config/load-config.ts'
import { createToken } from '../http-api/auth/stored-token.ts'
import type { ServerSettings } from '../http-api/read-server-section.ts'
import { pathOfVhost } from '../http-api/vhosts/vhost-path.ts'
import { openVhosts } from '../open-vhosts.ts'
import { addBrokerOptions } from '../options/broker-options.ts'
import { addConfigOption } from '../options/config-options.ts'
import { readPort } from '../options/read-port.ts'
import type { Terminal } from '../output/terminal.ts'
import { packageVersion } from '../package-version.ts'
import { type CommandBroker, withBroker } from '../with-broker.ts'

/** `warren serve`: the admin API, until it is told to stop. */
export const serve: CliCommand = {
  name: 'serve',
  summary: 'serve the admin HTTP API for dead letters, re-drives and audit; see /docs',
  example: 'warren serve --port 15680',
  configure: (command) => {
    addBrokerOptions(command)
    addConfigOption(command)
    addServerOptions(command)
  },
  run: (input, terminal) =>
    typeof input.options.newToken === 'string'
      ? showNewToken(input, terminal)
      : withBroker(input, (broker) => serveUntilTold(broker, input, terminal)),
}

function addServerOptions(command: Command): void {
  command
    .option('--host <address>', 'the address to listen on (default: 127.0.0.1)')
    .option('--port <number>', 'the port; 0 picks a free one (default: 15680)', readPort)
    .option('--new-token <name>', 'create an API token, show it once, and exit')
    .addOption(
      new Option('--role <role>', 'what the new token may do')
        .choices(['viewer', 'operator', 'admin'])
        .default('viewer'),
    )
}

async function serveUntilTold(
  broker: CommandBroker,
  input: CommandInput,
  terminal: Terminal,
): Promise<ExitCode> {
  // Not at the top: no other command should wait for a web framework to load.
  const { listen } = await import('../http-api/server.ts')
  const { createVhostsServer } = await import('../http-api/create-vhosts-server.ts')
  const settings = await readSettings(input)
  const { consuming, publishing, management, vhost, topology, recovery } = broker
  await refuseForeign(management)
  const types = recovery && readRecoverySection(recovery).types
  const ended = new Promise((resolve) => {
    onSignals(['SIGINT', 'SIGTERM'], resolve) // before anybody can know that it runs and end it
  })
  const others = await openVhosts(
    input,
    settings.vhosts.filter((each) => each !== vhost),
  )
  const app = await createVhostsServer({
    brokers: [{ consuming, publishing, management, vhost, topology, types }, ...others.brokers],
    settings,
    version: packageVersion(),
    consoleFolder: fileURLToPath(new URL('../console', import.meta.url)),
    logger: { level: 'info', stream: { write: (text: string) => terminal.say(text.trimEnd()) } },
  }).catch(async (error: unknown) => {
    await others.close()
    throw error
  })
  try {
    const url = await listen(app, settings)
    terminal.say(
      `${terminal.paint('bold', 'Warren')} serves the vhost "${vhost}" at ${url} (docs: ${url}/docs).`,
    )
    for (const other of others.brokers)
      terminal.say(`It serves the vhost "${other.vhost}" at ${url}${pathOfVhost(other.vhost)}.`)
    if (settings.hasConsole) terminal.say(`The console is at ${url}/console/`)
    terminal.result({ url, vhost, broker: consuming.broker })
    await ended
  } finally {
    await app.close()
    await others.close()
  }
  terminal.say('Stopped. Running tasks are interrupted, with receipts; another server can resume them.')
  return 0
}

/** Without its own management API a server could let nobody in. One that is only away now may come back. */
async function refuseForeign(management: Pick<Management, 'uptimeMs'>): Promise<void> {
  try {
    await management.uptimeMs()
  } catch (error) {
    if (error instanceof ManagementError && error.code === 'MANAGEMENT_NOT_PROVED') throw error
  }
}

async function readSettings({ options, env }: CommandInput): Promise<ServerSettings> {
  const { readServerSection } = await import('../http-api/read-server-section.ts')
  const section = (await findDeclaration(options))?.server ?? {}
  const { host, port } = options
  return readServerSection(
    { ...section, ...(host !== undefined && { host }), ...(port !== undefined && { port }) },
    env,
  )
}

async function showNewToken({ options }: CommandInput, terminal: Terminal): Promise<ExitCode> {
  const name = String(options.newToken)
  const role = String(options.role)
  const { token, hash } = createToken()
  terminal.say(`The token, shown only once: ${terminal.paint('bold', token)}`)
  terminal.say(`Put this into server.auth.tokens of ${configNames[0]}, which recognises it by its hash:`)
  terminal.say(`  { name: '${name}', role: '${role}', hash: '${hash}' }`)
  terminal.result({ name, role, token, hash })
  return 0
}
