import { fileURLToPath } from 'node:url'
import { InvalidArgumentError, type ServerDeclaration, type TopologyDeclaration } from 'warrenmq'
import {
  ApiError,
  compileTopology,
  locateManagement,
  openSessionPair,
  pairManagement,
  parseAmqpUrl,
  readRecoverySection,
} from 'warrenmq/operations'
import type { MountedServer } from './http-api/mounted-server.ts'
import { packageVersion } from './package-version.ts'

export type { MountedServer } from './http-api/mounted-server.ts'

/** Whose dead letters the console shows, and to whom. */
export interface MountOptions {
  /** The broker, or several of its hosts. */
  readonly url: string | readonly string[]
  /** Where RabbitMQ's HTTP API is. @default MANAGEMENT_URL, or the same host, port 15672 or 15671 */
  readonly managementUrl?: string | undefined
  /** What the application declares. @default nothing: every queue of the broker can be worked on anyway */
  readonly topology?: TopologyDeclaration<string> | undefined
  /** As in the config of `warren serve`; `host` and `port` are those of the server around it. @default that of the topology */
  readonly server?: ServerDeclaration | undefined
  /** Is told of every request that failed, as a line of JSON. @default nobody */
  readonly onFailure?: ((line: string) => void) | undefined
}

/**
 * The console with its API, for an HTTP server of your own: hand it requests, with their URL as seen from where it is
 * mounted. It has connections of its own.
 * @example
 * ```ts
 * const console = await mountConsole({ url: 'amqp://localhost' })
 * createServer((request, response) => console.handle(request, response)).listen(8080)
 * ```
 */
export async function mountConsole(options: MountOptions): Promise<MountedServer> {
  const { url, managementUrl = process.env.MANAGEMENT_URL, topology: declaration, onFailure } = options
  // Not at the top: who only imports this waits for no web framework.
  const { createApiServer } = await import('./http-api/server.ts')
  const { mountServer } = await import('./http-api/mounted-server.ts')
  const { readServerSection } = await import('./http-api/read-server-section.ts')
  const settings = readServerSection({ ...(options.server ?? declaration?.server) }, process.env)
  if (settings.isOpen) throw unprotected()
  if (settings.vhosts.length > 0) throw severalVhosts()
  const firstUrl = typeof url === 'string' ? url : url[0]!
  const { consuming, publishing } = await openSessionPair(
    url,
    { name: 'warren console' },
    { name: 'warren console publishing' },
  )
  const management = pairManagement(consuming, locateManagement(firstUrl, managementUrl))
  const disconnect = async (): Promise<void> => {
    await Promise.all([consuming.close(), publishing.close()])
    management.close()
  }
  try {
    const brokerVersion = consuming.broker.version
    const topology = declaration && compileTopology(declaration, { brokerVersion })
    const types = declaration?.recovery && readRecoverySection(declaration.recovery).types
    const { vhost } = parseAmqpUrl(firstUrl)[0]!
    const app = await createApiServer({
      broker: { consuming, publishing, management, vhost, topology, types },
      settings,
      version: packageVersion(),
      consoleFolder: fileURLToPath(new URL('./console', import.meta.url)),
      logger: { level: 'error', stream: { write: (text: string) => onFailure?.(text.trimEnd()) } },
    })
    const { handle, close } = mountServer(app)
    return { handle, close: () => close().finally(disconnect) }
  } catch (error) {
    await disconnect()
    throw error
  }
}

/** They would need addresses that only the server around it gives. */
function severalVhosts(): InvalidArgumentError {
  return new InvalidArgumentError(
    'server.vhosts is for `warren serve`. Mount a console for each vhost, with its own url.',
  )
}

/** Where the server around it listens, nobody knows here. */
function unprotected(): ApiError {
  const message =
    "With auth: 'none', anybody who reaches your server could move your messages. Require credentials where the console is mounted."
  return new ApiError({ code: 'SERVER_UNPROTECTED', message })
}
