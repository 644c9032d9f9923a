import { fileURLToPath } from 'node:url'
import { ApiError } from 'warrenmq/operations'
import type { CommandInput } from './command.ts'
import type { Credentials } from './http-api/contract/contract.ts'
import { endpoints } from './http-api/contract/endpoints.ts'
import type { DemoControls } from './http-api/demo-controls.ts'
import type { ServerBroker } from './http-api/server-broker.ts'
import { openBrowser } from './open-browser.ts'
import type { Terminal } from './output/terminal.ts'
import { packageVersion } from './package-version.ts'

export interface ConsoleHere {
  readonly broker: ServerBroker
  /** Whose console it is. */
  readonly credentials: Credentials
  readonly input: Pick<CommandInput, 'options' | 'env'>
  readonly terminal: Terminal
  readonly demo?: DemoControls
}

/** Serves the console to one person on this machine, and opens it in their browser. */
export async function serveConsoleHere(
  here: ConsoleHere,
): Promise<{ readonly close: () => Promise<unknown> }> {
  const { broker, credentials, input, terminal, demo } = here
  // Not at the top: no other command should wait for a web framework to load.
  const { createApiServer, listen } = await import('./http-api/server.ts')
  const { readServerSection } = await import('./http-api/read-server-section.ts')
  const { createLoginLink } = await import('./http-api/auth/login-link.ts')
  const { port = 0, open = true } = input.options as { port?: number; open?: boolean }
  const { WARREN_SERVER_KEY } = input.env
  const settings = readServerSection({ host: '127.0.0.1', port }, { WARREN_SERVER_KEY })
  const { name, role } = await findPerson(broker, credentials)
  const loginLink = createLoginLink(credentials)
  const app = await createApiServer({
    broker,
    settings,
    loginLink,
    ...(demo && { demo }),
    version: packageVersion(),
    consoleFolder: fileURLToPath(new URL('./console', import.meta.url)),
    logger: { level: 'error', stream: { write: (text: string) => terminal.say(text.trimEnd()) } },
  })
  try {
    const place = await listen(app, settings)
    const url = `${place}${endpoints.followLink.path}?secret=${loginLink.secret}`
    terminal.say(
      `${terminal.paint('bold', 'The console')} of the vhost "${broker.vhost}" is at ${place}/console/`,
    )
    terminal.say(`This link logs you in as ${name} (${role}); it works once, within five minutes:`)
    terminal.say(`  ${url}`, 'exact')
    terminal.say('Ctrl-C ends it.')
    terminal.result({ url })
    if (open && !terminal.isJson) openBrowser(url)
  } catch (error) {
    await app.close()
    throw error
  }
  return { close: () => app.close() }
}

/** Whoever would be let in nowhere learns that here, and not from a page. */
async function findPerson(
  { management, vhost }: ServerBroker,
  credentials: Credentials,
): Promise<{ readonly name: string; readonly role: string }> {
  const { openBrokerAccounts } = await import('./http-api/auth/broker-accounts.ts')
  const { roleByTag } = await import('./http-api/auth/decide-role.ts')
  const person = await openBrokerAccounts({ management, vhost, roles: roleByTag })(credentials)
  if (person) return person
  const message = `The RabbitMQ account "${credentials.username}" may not use the console in the vhost "${vhost}". It needs read permission there and a tag: monitoring to look, policymaker to re-drive, administrator for everything.`
  throw new ApiError({ code: 'API_FORBIDDEN', message })
}
