/** What `warren serve` goes by. A type, so that it can be handed to whoever takes any record. */
export type ServerDeclaration = {
  /**
   * The address to listen on. @default '127.0.0.1'
   * @example { host: '0.0.0.0' }
   */
  readonly host?: string
  /**
   * The port to listen on. @default 15680
   * @example { port: 8080 }
   */
  readonly port?: number
  /**
   * The path under which a proxy passes requests on, if it does not strip it. @default none
   * @example { path: '/ops/warren' }
   */
  readonly path?: string
  /**
   * Further vhosts of the same broker to serve, below `/vhosts/NAME`. What the config declares is of the vhost in the broker's URL. @default none
   * @example { vhosts: ['orders', 'billing'] }
   */
  readonly vhosts?: readonly string[]
  /**
   * How callers prove who they are. `'none'` asks nobody, makes all of them admins, and listens on loopback only. @default RabbitMQ's accounts
   * @example { auth: { accounts: { roles: { administrator: 'admin', monitoring: 'viewer' } } } }
   */
  readonly auth?: 'none' | ServerAuthDeclaration
  /**
   * How long browsers stay logged in.
   * @example { session: { lifetime: '4h' } }
   */
  readonly session?: ServerSessionDeclaration
  /**
   * Addresses of proxies whose `x-forwarded-*` headers are trusted. @default none
   * @example { trustProxy: ['10.0.0.0/8'] }
   */
  readonly trustProxy?: readonly string[]
  /**
   * Who sees how much of message bodies.
   * @example { payloads: { hideFrom: ['viewer'], mask: ['card.number'] } }
   */
  readonly payloads?: ServerPayloadsDeclaration
  /**
   * Roles that may also look at, back up and re-drive queues that are not dead-letter queues. @default nobody
   * @example { anyQueue: ['admin'] }
   */
  readonly anyQueue?: readonly ServerRole[]
  /**
   * What has to wait for a second person. @default nothing
   * @example { approval: { above: 1_000 } }
   */
  readonly approval?: ServerApprovalDeclaration
  /**
   * How the depths of queues are remembered if RabbitMQ does not remember them itself.
   * @example { history: { every: '30s', keep: '1d' } }
   */
  readonly history?: ServerHistoryDeclaration
  /**
   * Where backups are kept. @default nowhere, so that nothing can be discarded
   * @example { backups: { folder: '/var/lib/warren' } }
   */
  readonly backups?: ServerBackupsDeclaration
  /**
   * What the server keeps of what looks have written down.
   * @example { snapshots: { number: 4, age: '2h' } }
   */
  readonly snapshots?: ServerSnapshotsDeclaration
  /**
   * The file with the servers' key, instead of the variable `WARREN_SERVER_KEY`.
   * @example { keyFile: '/run/secrets/warren-key' }
   */
  readonly keyFile?: string
  /**
   * Whether the command line writes to the audit log: `on` creates the log, `required` also refuses what cannot be written. @default where the broker has the log
   * @example { audit: 'required' }
   */
  readonly audit?: 'required' | 'on' | 'off'
  /**
   * Who gets which alerts. @default nobody
   * @example { webhooks: { to: [{ name: 'on-call', url: 'https://hooks.example/7f9c', on: { above: 100 } }] } }
   */
  readonly webhooks?: ServerWebhooksDeclaration
  /**
   * Serves the console at `/console/`. @default true
   * @example { console: false }
   */
  readonly console?: boolean
  /**
   * Bounds on requests.
   * @example { limits: { requests: 100 } }
   */
  readonly limits?: ServerLimitsDeclaration
}

/** A viewer looks, an operator also re-drives, an admin does everything. */
export type ServerRole = 'viewer' | 'operator' | 'admin'

/** The ways to log in. */
export interface ServerAuthDeclaration {
  /**
   * RabbitMQ's own accounts; `false` turns them off, `roles` says which tag means which role. @default true
   * @example { accounts: { roles: { administrator: 'admin' } } }
   */
  readonly accounts?: boolean | ServerAccountsDeclaration
  /**
   * Tokens for programs. @default none
   * @example { tokens: [{ name: 'deploy', role: 'operator', hash: 'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' }] }
   */
  readonly tokens?: readonly ServerTokenDeclaration[]
  /**
   * An OpenID Connect provider. @default none
   * @example { oidc: { issuer: 'https://login.example', audience: 'warren', roles: { sre: 'admin' } } }
   */
  readonly oidc?: ServerOidcDeclaration
}

/** Which of RabbitMQ's accounts may do what. */
export interface ServerAccountsDeclaration {
  /**
   * The role that each tag of an account gives.
   * @example { roles: { administrator: 'admin', monitoring: 'viewer' } }
   */
  readonly roles: Readonly<Record<string, ServerRole>>
}

/** A token for a program. */
export interface ServerTokenDeclaration {
  /**
   * Whose token it is; written to the audit log.
   * @example { name: 'deploy' }
   */
  readonly name: string
  /**
   * What its holder may do.
   * @example { role: 'operator' }
   */
  readonly role: ServerRole
  /**
   * `sha256:` and the SHA-256 of the token in hexadecimal digits; the token itself stands nowhere.
   * @example { hash: 'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' }
   */
  readonly hash: string
  /**
   * A date, or a time with its zone: `2030-01-31T18:00:00Z`. @default never
   * @example { expires: '2030-01-31' }
   */
  readonly expires?: string
}

/** An OpenID Connect provider. */
export interface ServerOidcDeclaration {
  /**
   * The provider, as its tokens name it in `iss`.
   * @example { issuer: 'https://login.example' }
   */
  readonly issuer: string
  /**
   * The audience that tokens of programs must have (`aud`).
   * @example { audience: 'warren' }
   */
  readonly audience: string
  /**
   * The role that each value of the claim gives.
   * @example { roles: { sre: 'admin', support: 'viewer' } }
   */
  readonly roles: Readonly<Record<string, ServerRole>>
  /**
   * Where the provider's keys are. @default what its discovery document says
   * @example { jwksUrl: 'https://login.example/keys' }
   */
  readonly jwksUrl?: string
  /**
   * The claim with the names of roles; `a.b` for one inside another. @default 'roles'
   * @example { claim: 'realm_access.roles' }
   */
  readonly claim?: string
  /**
   * The claim with the name for the audit log. @default 'sub'
   * @example { nameClaim: 'email' }
   */
  readonly nameClaim?: string
  /**
   * The name of this server at the provider. With it and `publicUrl`, browsers can log in there. @default programs only
   * @example { clientId: 'warren' }
   */
  readonly clientId?: string
  /**
   * The file with the client's secret, instead of the variable `WARREN_OIDC_CLIENT_SECRET`.
   * @example { clientSecretFile: '/run/secrets/oidc-client' }
   */
  readonly clientSecretFile?: string
  /**
   * How browsers reach this server, such as `https://warren.example`.
   * @example { publicUrl: 'https://warren.example' }
   */
  readonly publicUrl?: string
  /**
   * What to ask the provider for; `openid` must be among them. @default ['openid']
   * @example { scopes: ['openid', 'profile'] }
   */
  readonly scopes?: readonly string[]
}

/** How long browsers stay logged in. */
export interface ServerSessionDeclaration {
  /**
   * How long a login lasts, such as `8h`. @default '8h'
   * @example { lifetime: '4h' }
   */
  readonly lifetime?: string
  /**
   * How old a browser's role may be before it is looked up again, from `1s` to `1h`. @default '1m'
   * @example { recheck: '5m' }
   */
  readonly recheck?: string
}

/** Who sees how much of message bodies. */
export interface ServerPayloadsDeclaration {
  /**
   * Roles that see no bodies and cannot filter by them. @default none
   * @example { hideFrom: ['viewer'] }
   */
  readonly hideFrom?: readonly ServerRole[]
  /**
   * Paths in JSON bodies that nobody sees, such as `card.number`; `*` is any name. @default none
   * @example { mask: ['card.number', '*.password'] }
   */
  readonly mask?: readonly string[]
}

/** What has to wait for a second person. */
export interface ServerApprovalDeclaration {
  /**
   * Re-drives and discards of more messages than this, and disruptive applies.
   * @example { above: 1_000 }
   */
  readonly above: number
  /**
   * How long a request waits, such as `24h`. @default '24h'
   * @example { expires: '2h' }
   */
  readonly expires?: string
}

/** How the depths of queues are remembered. */
export interface ServerHistoryDeclaration {
  /**
   * How often depths are read. @default '10s'
   * @example { every: '30s' }
   */
  readonly every?: string
  /**
   * How long they are remembered. @default '6h'
   * @example { keep: '1d' }
   */
  readonly keep?: string
}

/** Where backups are kept. */
export interface ServerBackupsDeclaration {
  /**
   * The folder for backups of what was discarded.
   * @example { folder: '/var/lib/warren' }
   */
  readonly folder: string
}

/** What the server keeps of what looks have written down. */
export interface ServerSnapshotsDeclaration {
  /**
   * The folder for their files, on a disk with room for `bytes`. @default warren-snapshots in the folder for temporary files
   * @example { folder: '/var/lib/warren/snapshots' }
   */
  readonly folder?: string
  /**
   * The most snapshots. @default 8
   * @example { number: 4 }
   */
  readonly number?: number
  /**
   * The most bytes of all files together. @default 4294967296
   * @example { bytes: 1_073_741_824 }
   */
  readonly bytes?: number
  /**
   * The most bytes of memory of all indexes together; one message takes about 110. @default 536870912
   * @example { memoryBytes: 134_217_728 }
   */
  readonly memoryBytes?: number
  /**
   * How long a snapshot is kept: one second to one day. @default 1h
   * @example { age: '2h' }
   */
  readonly age?: string
  /**
   * How long the look of one may take, with the wait for its turn: one second to 25 minutes. @default 10m
   * @example { timeout: '5m' }
   */
  readonly timeout?: string
}

/** Bounds on requests. */
export interface ServerLimitsDeclaration {
  /**
   * Requests at a time. @default 500
   * @example { requests: 100 }
   */
  readonly requests?: number
  /**
   * Bytes of a request's body, from 1024. @default 1048576
   * @example { bodyBytes: 65_536 }
   */
  readonly bodyBytes?: number
  /**
   * How long a request's body may take to arrive. @default '15s'
   * @example { bodyTimeout: '5s' }
   */
  readonly bodyTimeout?: string
  /**
   * How long a look at messages may take, its wait for its turn included. @default '1m'
   * @example { lookTimeout: '30s' }
   */
  readonly lookTimeout?: string
  /**
   * Bytes of a backup that is uploaded, from 1024. @default 1073741824
   * @example { uploadBytes: 10_737_418_240 }
   */
  readonly uploadBytes?: number
}

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
   * What it is told of.
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

/** What a webhook is told of; at least one of them. */
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
