import type { ServerDeclaration } from 'warrenmq'

/** Where the console is, and who may use it. */
export interface WarrenConsoleOptions {
  /**
   * The path below which the console and its API are. @default '/warren'
   * @example { path: '/internal/warren' }
   */
  readonly path?: string
  /**
   * As in the config of `warren serve`: who may do what, what they are shown, where backups are kept. `host` and `port`
   * are those of your application. @default the `server` section of the topology
   * @example { server: { payloads: { mask: ['card.number'] } } }
   */
  readonly server?: ServerDeclaration
}
