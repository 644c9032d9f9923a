/** What `warren serve` goes by. A type, so that it can be handed to whoever takes any record. */
export type ServerDeclaration = {
  /** The address to listen on. @default '127.0.0.1' */
  readonly host?: string
  /** The port to listen on. @default 15680 */
  readonly port?: number
  /** How callers prove who they are. `'none'` asks nobody, makes all of them admins, and listens on loopback only. @default RabbitMQ's accounts */
  readonly auth?: 'none' | ServerAuthDeclaration
  /** How long browsers stay logged in. */
  readonly session?: ServerSessionDeclaration
  /** Addresses of proxies whose `x-forwarded-*` headers are trusted. @default none */
  readonly trustProxy?: readonly string[]
  /** Who sees how much of message bodies. */
  readonly payloads?: ServerPayloadsDeclaration
  /** Roles that may also look at, back up and re-drive queues that are not dead-letter queues. @default nobody */
  readonly anyQueue?: readonly ServerRole[]
  /** What has to wait for a second person. @default nothing */
  readonly approval?: ServerApprovalDeclaration
  /** How the depths of queues are remembered if RabbitMQ does not remember them itself. */
  readonly history?: ServerHistoryDeclaration
  /** Where backups are kept. @default nowhere, so that nothing can be discarded */
  readonly backups?: ServerBackupsDeclaration
  /** What the server keeps of what looks have written down. */
  readonly snapshots?: ServerSnapshotsDeclaration
  /** The file with the servers' key, instead of the variable `WARREN_SERVER_KEY`. */
  readonly keyFile?: string
  /** Whether the command line writes to the audit log: `on` creates the log, `required` also refuses what cannot be written. @default where the broker has the log */
  readonly audit?: 'required' | 'on' | 'off'
  /** Who gets which alerts. @default nobody */
  readonly webhooks?: ServerWebhooksDeclaration
  /** Serves the console at `/console/`. @default true */
  readonly console?: boolean
  /** Bounds on requests. */
  readonly limits?: ServerLimitsDeclaration
}

/** A viewer looks, an operator also re-drives, an admin does everything. */
export type ServerRole = 'viewer' | 'operator' | 'admin'

/** The ways to log in. */
export interface ServerAuthDeclaration {
  /** RabbitMQ's own accounts; `false` turns them off, `roles` says which tag means which role. @default true */
  readonly accounts?: boolean | ServerAccountsDeclaration
  /** Tokens for programs. @default none */
  readonly tokens?: readonly ServerTokenDeclaration[]
  /** An OpenID Connect provider. @default none */
  readonly oidc?: ServerOidcDeclaration
}

/** Which of RabbitMQ's accounts may do what. */
export interface ServerAccountsDeclaration {
  /** The role that each tag of an account gives. */
  readonly roles: Readonly<Record<string, ServerRole>>
}

/** A token for a program. */
export interface ServerTokenDeclaration {
  /** Whose token it is; written to the audit log. */
  readonly name: string
  /** What its holder may do. */
  readonly role: ServerRole
  /** `sha256:` and the SHA-256 of the token in hexadecimal digits; the token itself stands nowhere. */
  readonly hash: string
  /** A date, or a time with its zone: `2030-01-31T18:00:00Z`. @default never */
  readonly expires?: string
}

/** An OpenID Connect provider. */
export interface ServerOidcDeclaration {
  /** The provider, as its tokens name it in `iss`. */
  readonly issuer: string
  /** The audience that tokens of programs must have (`aud`). */
  readonly audience: string
  /** The role that each value of the claim gives. */
  readonly roles: Readonly<Record<string, ServerRole>>
  /** Where the provider's keys are. @default what its discovery document says */
  readonly jwksUrl?: string
  /** The claim with the names of roles; `a.b` for one inside another. @default 'roles' */
  readonly claim?: string
  /** The claim with the name for the audit log. @default 'sub' */
  readonly nameClaim?: string
  /** The name of this server at the provider. With it and `publicUrl`, browsers can log in there. @default programs only */
  readonly clientId?: string
  /** The file with the client's secret, instead of the variable `WARREN_OIDC_CLIENT_SECRET`. */
  readonly clientSecretFile?: string
  /** How browsers reach this server, such as `https://warren.example`. */
  readonly publicUrl?: string
  /** What to ask the provider for; `openid` must be among them. @default ['openid'] */
  readonly scopes?: readonly string[]
}

/** How long browsers stay logged in. */
export interface ServerSessionDeclaration {
  /** How long a login lasts, such as `8h`. @default '8h' */
  readonly lifetime?: string
  /** How old a browser's role may be before it is looked up again, from `1s` to `1h`. @default '1m' */
  readonly recheck?: string
}

/** Who sees how much of message bodies. */
export interface ServerPayloadsDeclaration {
  /** Roles that see no bodies and cannot filter by them. @default none */
  readonly hideFrom?: readonly ServerRole[]
  /** Paths in JSON bodies that nobody sees, such as `card.number`; `*` is any name. @default none */
  readonly mask?: readonly string[]
}

/** What has to wait for a second person. */
export interface ServerApprovalDeclaration {
  /** Re-drives and discards of more messages than this, and disruptive applies. */
  readonly above: number
  /** How long a request waits, such as `24h`. @default '24h' */
  readonly expires?: string
}

/** How the depths of queues are remembered. */
export interface ServerHistoryDeclaration {
  /** How often depths are read. @default '10s' */
  readonly every?: string
  /** How long they are remembered. @default '6h' */
  readonly keep?: string
}

/** Where backups are kept. */
export interface ServerBackupsDeclaration {
  /** The folder for backups of what was discarded. */
  readonly folder: string
}

/** What the server keeps of what looks have written down. */
export interface ServerSnapshotsDeclaration {
  /** The folder for their files, on a disk with room for `bytes`. @default warren-snapshots in the folder for temporary files */
  readonly folder?: string
  /** The most snapshots. @default 8 */
  readonly number?: number
  /** The most bytes of all files together. @default 4294967296 */
  readonly bytes?: number
  /** The most bytes of memory of all indexes together; one message takes about 110. @default 536870912 */
  readonly memoryBytes?: number
  /** How long a snapshot is kept: one second to one day. @default 1h */
  readonly age?: string
  /** How long the look of one may take, with the wait for its turn: one second to 25 minutes. @default 10m */
  readonly timeout?: string
}

/** Bounds on requests. */
export interface ServerLimitsDeclaration {
  /** Requests at a time. @default 500 */
  readonly requests?: number
  /** Bytes of a request's body, from 1024. @default 1048576 */
  readonly bodyBytes?: number
  /** How long a request's body may take to arrive. @default '15s' */
  readonly bodyTimeout?: string
  /** How long a look at messages may take, its wait for its turn included. @default '1m' */
  readonly lookTimeout?: string
  /** Bytes of a backup that is uploaded, from 1024. @default 1073741824 */
  readonly uploadBytes?: number
}

/** Who gets which alerts. */
export interface ServerWebhooksDeclaration {
  /** How often the dead-letter queues are looked at. @default '15s' */
  readonly every?: string
  /** How often a request that failed is sent again. */
  readonly retry?: ServerWebhookRetryDeclaration
  /** The webhooks. */
  readonly to: readonly ServerWebhookDeclaration[]
}

/** How often a request that failed is sent again. */
export interface ServerWebhookRetryDeclaration {
  /** Requests in all. @default 10 */
  readonly attempts?: number
  /** The wait before the second request; it doubles from there. @default '1s' */
  readonly first?: string
  /** The longest wait. @default '5m' */
  readonly most?: string
}

/** One webhook. Say `url` or `urlFrom`. */
export interface ServerWebhookDeclaration {
  /** Its name in logs. */
  readonly name: string
  /** What it is told of. */
  readonly on: ServerWebhookRulesDeclaration
  /** Where requests go. */
  readonly url?: string
  /** The environment variable with the address, if that is a secret. */
  readonly urlFrom?: string
  /** The environment variable with the secret that signs requests. @default requests are not signed */
  readonly secretFrom?: string
  /** `slack` sends the format that Slack expects. @default 'generic' */
  readonly format?: 'generic' | 'slack'
  /** The dead-letter queues to watch; `*` matches anything. @default all */
  readonly queues?: readonly string[]
  /** Whether a message of a new cause is sent along. Without it no payload leaves. @default false */
  readonly samples?: boolean
}

/** What a webhook is told of; at least one of them. */
export interface ServerWebhookRulesDeclaration {
  /** A queue with more dead letters than this. */
  readonly above?: number
  /** A queue that grows too fast. */
  readonly growth?: ServerWebhookGrowthDeclaration
  /** A cause of death that was not seen before. */
  readonly newCause?: boolean
  /** A task that has ended. */
  readonly taskFinished?: boolean
}

/** A queue that grows too fast. */
export interface ServerWebhookGrowthDeclaration {
  /** By this many messages. */
  readonly messages: number
  /** Within this time, such as `5m`. */
  readonly within: string
}
