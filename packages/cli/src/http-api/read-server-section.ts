import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Type from 'typebox'
import { InvalidArgumentError, type ServerDeclaration } from 'warrenmq'
import { formatDuration, parseDuration } from 'warrenmq/operations'
import type { ApprovalRule } from './approvals/approval-rule.ts'
import { type RoleNames, roleByTag } from './auth/decide-role.ts'
import { type OidcSettings, oidcSection, readOidcSection } from './auth/oidc/oidc-settings.ts'
import type { StoredToken } from './auth/stored-token.ts'
import type { Role } from './contract/contract.ts'
import { explainMistakes } from './contract/explain-mistake.ts'
import type { HistorySettings } from './history/depth-history.ts'
import { type PublicPath, readPublicPath } from './public-path.ts'
import { readServerKeys, type ServerKeys } from './records/server-keys.ts'
import type { SnapshotSettings } from './snapshots/snapshot-settings.ts'
import { readWebhooks, type WebhookSettings, webhooksSection } from './webhooks/webhook-settings.ts'

/** What `warren serve` goes by. */
export interface ServerSettings {
  readonly host: string
  readonly port: number
  /** What a proxy leaves before the paths of this server; it may also strip it. */
  readonly publicPath: PublicPath
  /** Besides that of the broker's URL. */
  readonly vhosts: readonly string[]
  /** Nobody is asked who they are. */
  readonly isOpen: boolean
  /** Which tags of RabbitMQ's accounts mean which role; undefined: its accounts are no way in. */
  readonly accountRoles: RoleNames | undefined
  readonly tokens: readonly StoredToken[]
  readonly oidc: OidcSettings | undefined
  readonly sessionKey: string | undefined
  /** What servers sign their records with. */
  readonly keys: ServerKeys
  readonly sessionLifetimeMs: number
  /** How old a session's role may be. */
  readonly sessionRecheckMs: number
  /** Addresses of proxies whose `x-forwarded-*` is believed. */
  readonly trustedProxies: readonly string[]
  readonly hidePayloadsFrom: readonly Role[]
  /** Paths in JSON bodies that nobody is shown, such as `card.number`. */
  readonly maskedPaths: readonly string[]
  /** Who may also work on queues that are no dead-letter queues. */
  readonly anyQueueRoles: readonly Role[]
  readonly maxRequests: number
  readonly maxBodyBytes: number
  /** How long a body may take to come, unless it is a backup. */
  readonly bodyTimeoutMs: number
  /** How long a look at messages may take, with the wait for its turn; what it has not seen by then is told. */
  readonly lookTimeoutMs: number
  /** Of a backup that is restored. */
  readonly maxUploadBytes: number
  readonly viewerChangesPerMinute: number
  /** When a second person has to agree; undefined: never. */
  readonly approval: ApprovalRule | undefined
  readonly history: HistorySettings
  /** Where backups of what was discarded are kept; undefined: nothing can be discarded. */
  readonly backupFolder: string | undefined
  readonly snapshots: SnapshotSettings
  readonly webhooks: WebhookSettings
  /** Whether browsers are served the console. */
  readonly hasConsole: boolean
}

/** A browser sends the cookie of each with every request. */
const mostVhosts = 12

const closed = { additionalProperties: false }
const text = Type.String({ minLength: 1 })
const role = Type.Unsafe<Role>({ type: 'string', enum: ['viewer', 'operator', 'admin'] })
const roles = Type.Record(Type.String(), role)

const token = Type.Object(
  {
    name: text,
    role,
    hash: Type.String({ pattern: '^sha256:[0-9a-f]{64}$' }),
    expires: Type.Optional(Type.String()),
  },
  closed,
)
const auth = Type.Object(
  {
    accounts: Type.Optional(Type.Union([Type.Boolean(), Type.Object({ roles }, closed)])),
    tokens: Type.Optional(Type.Array(token)),
    oidc: Type.Optional(oidcSection),
  },
  closed,
)
const section = Type.Object(
  {
    host: Type.Optional(text),
    port: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
    path: Type.Optional(text),
    vhosts: Type.Optional(Type.Array(text, { maxItems: mostVhosts, uniqueItems: true })),
    auth: Type.Optional(Type.Union([Type.Literal('none'), auth])),
    session: Type.Optional(
      Type.Object({ lifetime: Type.Optional(text), recheck: Type.Optional(text) }, closed),
    ),
    trustProxy: Type.Optional(Type.Array(text)),
    payloads: Type.Optional(
      Type.Object(
        { hideFrom: Type.Optional(Type.Array(role)), mask: Type.Optional(Type.Array(text)) },
        closed,
      ),
    ),
    anyQueue: Type.Optional(Type.Array(role)),
    approval: Type.Optional(
      Type.Object({ above: Type.Integer({ minimum: 0 }), expires: Type.Optional(text) }, closed),
    ),
    history: Type.Optional(Type.Object({ every: Type.Optional(text), keep: Type.Optional(text) }, closed)),
    backups: Type.Optional(Type.Object({ folder: text }, closed)),
    snapshots: Type.Optional(
      Type.Object(
        {
          folder: Type.Optional(text),
          number: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
          bytes: Type.Optional(Type.Integer({ minimum: 1024 * 1024 })),
          memoryBytes: Type.Optional(Type.Integer({ minimum: 1024 * 1024 })),
          age: Type.Optional(text),
          timeout: Type.Optional(text),
        },
        closed,
      ),
    ),
    keyFile: Type.Optional(text),
    // Read by the other commands; the server itself does nothing that it cannot write down.
    audit: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: ['required', 'on', 'off'] })),
    webhooks: Type.Optional(webhooksSection),
    console: Type.Optional(Type.Boolean()),
    limits: Type.Optional(
      Type.Object(
        {
          requests: Type.Optional(Type.Integer({ minimum: 1 })),
          bodyBytes: Type.Optional(Type.Integer({ minimum: 1024 })),
          bodyTimeout: Type.Optional(text),
          lookTimeout: Type.Optional(text),
          uploadBytes: Type.Optional(Type.Integer({ minimum: 1024 })),
          viewerChanges: Type.Optional(Type.Integer({ minimum: 1 })),
        },
        closed,
      ),
    ),
  },
  closed,
)

/** The schema of the `server` section; editors read it, too. */
export const serverSection: Type.TSchema = section

/** Reads the config's `server` section; secrets come from the environment, or from files that it names. */
export function readServerSection(
  given: Readonly<Record<string, unknown>> = {},
  env: Readonly<Record<string, string | undefined>> = {},
): ServerSettings {
  checkServerShape(given)
  const { host = '127.0.0.1', port = 15_680, auth: ways = {}, ...rest } = given as ServerDeclaration
  const isOpen = ways === 'none'
  const { accounts = true, tokens = [], oidc: provider } = isOpen ? { accounts: false } : ways
  const { payloads = {}, limits = {}, session = {}, trustProxy: trustedProxies = [] } = rest
  const { anyQueue: anyQueueRoles = [], approval, history = {}, backups, keyFile, webhooks } = rest
  const { snapshots = {} } = rest
  for (const each of tokens) refuseNoDate(each)
  return {
    host,
    port,
    publicPath: readPublicPath('path', rest.path ?? ''),
    vhosts: rest.vhosts ?? [],
    isOpen,
    tokens,
    trustedProxies,
    anyQueueRoles,
    accountRoles: accountRolesOf(accounts),
    oidc: provider && readOidcSection(provider, env),
    sessionKey: readKey('WARREN_SESSION_KEY', env.WARREN_SESSION_KEY),
    keys: readServerKeys(env, keyFile),
    sessionLifetimeMs: readDuration('session.lifetime', session.lifetime ?? '8h', shared),
    sessionRecheckMs: readDuration('session.recheck', session.recheck ?? '1m', {
      leastMs: 1_000,
      mostMs: 3_600_000,
    }),
    hidePayloadsFrom: payloads.hideFrom ?? [],
    maskedPaths: payloads.mask ?? [],
    maxRequests: limits.requests ?? 500,
    maxBodyBytes: limits.bodyBytes ?? 1024 * 1024,
    bodyTimeoutMs: readDuration('limits.bodyTimeout', limits.bodyTimeout ?? '15s', {
      leastMs: 100,
      mostMs: 300_000,
    }),
    lookTimeoutMs: readDuration('limits.lookTimeout', limits.lookTimeout ?? '1m', {
      leastMs: 1_000,
      mostMs: 25 * 60_000,
    }),
    maxUploadBytes: limits.uploadBytes ?? 1024 ** 3,
    viewerChangesPerMinute: limits.viewerChanges ?? 120,
    approval: approval && {
      above: approval.above,
      lifetimeMs: readDuration('approval.expires', approval.expires ?? '24h', shared),
    },
    history: {
      everyMs: readDuration('history.every', history.every ?? '10s', { leastMs: 50, mostMs: day }),
      keepMs: readDuration('history.keep', history.keep ?? '6h', { leastMs: 1_000, mostMs: 31 * day }),
    },
    backupFolder: backups?.folder,
    snapshots: {
      folder: snapshots.folder ?? join(tmpdir(), 'warren-snapshots'),
      mostSnapshots: snapshots.number ?? 8,
      mostBytes: snapshots.bytes ?? 4 * 1024 ** 3,
      mostMemoryBytes: snapshots.memoryBytes ?? 512 * 1024 ** 2,
      ageMs: readDuration('snapshots.age', snapshots.age ?? '1h', { leastMs: 1_000, mostMs: day }),
      timeoutMs: readDuration('snapshots.timeout', snapshots.timeout ?? '10m', {
        leastMs: 1_000,
        mostMs: 25 * 60_000,
      }),
    },
    webhooks: readWebhooks(webhooks, env),
    hasConsole: rest.console ?? true,
  }
}

/** A key that can be guessed is none: whoever finds it is logged in as anybody. */
function readKey(name: string, given: string | undefined): string | undefined {
  if (given === undefined || given === '') return undefined
  if (Buffer.byteLength(given) >= leastKeyBytes) return given
  throw new InvalidArgumentError(
    `${name} has ${Buffer.byteLength(given)} bytes; fewer than ${leastKeyBytes} can be guessed. Make one with \`openssl rand -hex 32\`.`,
  )
}

const leastKeyBytes = 32

/** Refuses names and values that the section cannot have, all of them at once. */
export function checkServerShape(given: Readonly<Record<string, unknown>>): void {
  const mistakes = explainMistakes(serverSection, { name: 'server', value: given })
  if (mistakes.length > 0) throw new InvalidArgumentError(sayMistakes(mistakes))
}

function sayMistakes(mistakes: readonly string[]): string {
  const [mistake = ''] = mistakes
  if (mistakes.length > 1) {
    const lines = mistakes.map((each) => `  ${each}`)
    return [`The server section has ${mistakes.length} mistakes:`, ...lines].join('\n')
  }
  return `${mistake}${mistake.endsWith('?') ? '' : '.'}`
}

const dateOrTime = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/

/** A token whose date cannot be read would be one that never expires. */
function refuseNoDate({ name, expires }: StoredToken): void {
  if (expires === undefined) return
  const [, day = ''] = dateOrTime.exec(expires) ?? []
  const dayMs = Date.parse(day)
  // A 30th of February is read as a day of March.
  const isDay = !Number.isNaN(dayMs) && new Date(dayMs).toISOString().startsWith(day)
  if (isDay && !Number.isNaN(Date.parse(expires))) return
  throw new InvalidArgumentError(
    `server.auth.tokens: the token "${name}" expires at "${expires}", which is not a date. Write it as 2030-01-31 or 2030-01-31T18:00:00Z.`,
  )
}

function accountRolesOf(accounts: boolean | { readonly roles: RoleNames }): RoleNames | undefined {
  if (typeof accounts === 'object') return accounts.roles
  return accounts ? roleByTag : undefined
}

const day = 86_400_000
/** What servers tell each other is kept for a month; see notices/. */
const shared = { leastMs: 1_000, mostMs: 30 * day }

function readDuration(
  name: string,
  given: string,
  { leastMs, mostMs }: { readonly leastMs: number; readonly mostMs: number },
): number {
  const milliseconds = parseDuration(given)
  if (milliseconds >= leastMs && milliseconds <= mostMs) return milliseconds
  throw new InvalidArgumentError(
    `server.${name} must be from ${formatDuration(leastMs)} to ${formatDuration(mostMs)}, not ${given}.`,
  )
}
