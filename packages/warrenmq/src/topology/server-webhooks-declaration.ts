/** Who gets which alerts. */
export interface ServerWebhooksDeclaration {
  /**
   * How often the dead-letter queues are looked at. @default '15s'
   * @example { every: '1m' }
   */
  readonly every?: string
  /**
   * How often a request that failed is sent again.
   * @example { retry: { attempts: 5 } }
   */
  readonly retry?: ServerWebhookRetryDeclaration
  /**
   * The webhooks.
   * @example { to: [{ name: 'on-call', url: 'https://hooks.example/7f9c', on: { above: 100 } }] }
   */
  readonly to: readonly ServerWebhookDeclaration[]
}

/** How often a request that failed is sent again. */
export interface ServerWebhookRetryDeclaration {
  /**
   * Requests in all. @default 10
   * @example { attempts: 5 }
   */
  readonly attempts?: number
  /**
   * The wait before the second request; it doubles from there. @default '1s'
   * @example { first: '5s' }
   */
  readonly first?: string
  /**
   * The longest wait. @default '5m'
   * @example { most: '1m' }
   */
  readonly most?: string
}

/** One webhook. Say `url` or `urlFrom`. */
export interface ServerWebhookDeclaration {
  /**
   * Its name in logs.
   * @example { name: 'on-call' }
   */
  readonly name: string
  /**
   * Which alerts it gets.
   * @example { on: { above: 100, newCause: true } }
   */
  readonly on: ServerWebhookRulesDeclaration
  /**
   * Where requests go.
   * @example { url: 'https://hooks.example/7f9c' }
   */
  readonly url?: string
  /**
   * The environment variable with the address, if that is a secret.
   * @example { urlFrom: 'ON_CALL_URL' }
   */
  readonly urlFrom?: string
  /**
   * The environment variable with the secret that signs requests. @default requests are not signed
   * @example { secretFrom: 'ON_CALL_SECRET' }
   */
  readonly secretFrom?: string
  /**
   * `slack` sends the format that Slack expects. @default 'generic'
   * @example { format: 'slack' }
   */
  readonly format?: 'generic' | 'slack'
  /**
   * The dead-letter queues to watch; `*` matches anything. @default all
   * @example { queues: ['billing.*'] }
   */
  readonly queues?: readonly string[]
  /**
   * Whether a message of a new cause is sent along. Without it no payload leaves. @default false
   * @example { samples: true }
   */
  readonly samples?: boolean
}

/** Which alerts a webhook gets; at least one of them. */
export interface ServerWebhookRulesDeclaration {
  /**
   * A queue with more dead letters than this.
   * @example { above: 100 }
   */
  readonly above?: number
  /**
   * A queue that grows too fast.
   * @example { growth: { messages: 50, within: '5m' } }
   */
  readonly growth?: ServerWebhookGrowthDeclaration
  /**
   * A cause of death that was not seen before.
   * @example { newCause: true }
   */
  readonly newCause?: boolean
  /**
   * A task that has ended.
   * @example { taskFinished: true }
   */
  readonly taskFinished?: boolean
}

/** A queue that grows too fast. */
export interface ServerWebhookGrowthDeclaration {
  /**
   * By this many messages.
   * @example { messages: 50 }
   */
  readonly messages: number
  /**
   * Within this time, such as `5m`.
   * @example { within: '5m' }
   */
  readonly within: string
}
