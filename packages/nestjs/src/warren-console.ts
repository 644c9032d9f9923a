import type { MountedServer } from '@warrenmq/cli/console'
import type { TopologyDeclaration } from 'warrenmq'
import type { WarrenConsoleOptions } from './console-options.ts'
import { mountListener } from './mount-listener.ts'
import { nestLogger } from './nest-logger.ts'
import type { WarrenModuleOptions } from './warren-module-options.ts'

interface ConsoleParts {
  readonly options: WarrenConsoleOptions
  readonly connection: Pick<WarrenModuleOptions, 'url' | 'managementUrl'>
  readonly topology: TopologyDeclaration<string>
  /** The application's server; undefined where it has none. */
  readonly findServer: () => Parameters<typeof mountListener>[0] | undefined
  /** On the embedded broker of a test there is nothing for an operator to do. */
  readonly isTesting: boolean
}

/** The console below a path of the application's own HTTP server: there when the application has started. */
export class WarrenConsole {
  readonly #parts: ConsoleParts
  #mounted: MountedServer | undefined

  constructor(parts: ConsoleParts) {
    this.#parts = parts
  }

  async onApplicationBootstrap(): Promise<void> {
    const { options, connection, topology, findServer, isTesting } = this.#parts
    const server = findServer()
    if (isTesting || !server) return
    const { path = '/warren', server: section } = options
    const logger = nestLogger('WarrenConsole')
    // Not at the top: an application that does not import this module need not have the package.
    const { mountConsole } = await import('@warrenmq/cli/console')
    const { url, managementUrl } = connection
    const onFailure = (line: string): void => logger.error({}, line)
    this.#mounted = await mountConsole({ url, managementUrl, topology, server: section, onFailure })
    mountListener(server, path, this.#mounted.handle)
    logger.info({}, `The console is at ${path}/console/.`)
  }

  /** Before the application's server waits for its connections to end: a page of the console holds one. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.#mounted?.close()
  }
}
