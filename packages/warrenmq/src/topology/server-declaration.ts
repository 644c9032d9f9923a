import type { ServerAuthDeclaration, ServerRole } from './server-auth-declaration.ts'
import type { ServerWebhooksDeclaration } from './server-webhooks-declaration.ts'

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
  /**
   * Logins, and requests that are not GET, that a viewer may send in a minute. @default 120
   * @example { viewerChanges: 30 }
   */
  readonly viewerChanges?: number
}
