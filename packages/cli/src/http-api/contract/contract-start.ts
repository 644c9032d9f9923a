/** What anybody reads who knows nothing but the address. */
export interface StartPage {
  readonly name: string
  readonly description: string
  /** Addresses on this server. */
  readonly links: {
    readonly documentation: string
    readonly openapi: string
    readonly logIn: string
    readonly permissions: string
    readonly deadLetterQueues: string
    readonly metrics: string
    readonly alive: string
    readonly ready: string
  }
}
