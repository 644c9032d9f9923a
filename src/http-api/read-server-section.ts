import Type, { type Static } from 'typebox'
import Value from 'typebox/value'
import { InvalidArgumentError } from '../errors.ts'
import { parseDuration } from '../message/duration.ts'
import type { StoredToken } from './auth/api-tokens.ts'
import { type RoleNames, roleByTag } from './auth/decide-role.ts'
import type { OidcSettings } from './auth/oidc.ts'
import type { Role } from './contract.ts'

/** What `warren serve` goes by. */
export interface ServerSettings {
  readonly host: string
  readonly port: number
  /** Nobody is asked who they are. */
  readonly isOpen: boolean
  /** Which tags of RabbitMQ's accounts mean which role; undefined: its accounts are no way in. */
  readonly accountRoles: RoleNames | undefined
  readonly tokens: readonly StoredToken[]
  readonly oidc: OidcSettings | undefined
  readonly sessionKey: string | undefined
  readonly sessionLifetimeMs: number
  /** Addresses of proxies whose `x-forwarded-*` is believed. */
  readonly trustedProxies: readonly string[]
  readonly hidePayloadsFrom: readonly Role[]
  /** Paths in JSON bodies that nobody is shown, such as `card.number`. */
  readonly maskedPaths: readonly string[]
  readonly maxRequests: number
  readonly maxBodyBytes: number
}

const closed = { additionalProperties: false }
const text = Type.String({ minLength: 1 })
const role = Type.Unsafe<Role>({ type: 'string', enum: ['viewer', 'operator', 'admin'] })
const roles = Type.Record(Type.String(), role)

const token = Type.Object(
  {
    name: text,
    role,
    hash: Type.String({ pattern: '^sha256:[0-9a-f]{64}$' }),
    expires: Type.Optional(Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d' })),
  },
  closed,
)
const oidc = Type.Object(
  {
    ...{ issuer: text, audience: text, roles },
    ...{ jwksUrl: Type.Optional(text), claim: Type.Optional(text), nameClaim: Type.Optional(text) },
  },
  closed,
)
const auth = Type.Object(
  {
    accounts: Type.Optional(Type.Union([Type.Boolean(), Type.Object({ roles }, closed)])),
    tokens: Type.Optional(Type.Array(token)),
    oidc: Type.Optional(oidc),
  },
  closed,
)
const section = Type.Object(
  {
    host: Type.Optional(text),
    port: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
    auth: Type.Optional(Type.Union([Type.Literal('none'), auth])),
    session: Type.Optional(Type.Object({ lifetime: Type.Optional(text) }, closed)),
    trustProxy: Type.Optional(Type.Array(text)),
    payloads: Type.Optional(
      Type.Object(
        { hideFrom: Type.Optional(Type.Array(role)), mask: Type.Optional(Type.Array(text)) },
        closed,
      ),
    ),
    limits: Type.Optional(
      Type.Object(
        {
          requests: Type.Optional(Type.Integer({ minimum: 1 })),
          bodyBytes: Type.Optional(Type.Integer({ minimum: 1024 })),
        },
        closed,
      ),
    ),
  },
  closed,
)

/** Reads the config's `server` section; secrets come from the environment only. */
export function readServerSection(
  given: Readonly<Record<string, unknown>> = {},
  env: Readonly<Record<string, string | undefined>> = {},
): ServerSettings {
  const [mistake] = Value.Errors(section, given)
  if (mistake) {
    const path = `server${mistake.instancePath.replaceAll('/', '.')}`
    throw new InvalidArgumentError(`${path} ${mistake.message}. See docs/reference/http-api.md.`)
  }
  const { host = '127.0.0.1', port = 15_680, auth: ways = {}, ...rest } = given as Static<typeof section>
  const isOpen = ways === 'none'
  const { accounts = true, tokens = [], oidc: provider } = isOpen ? { accounts: false } : ways
  const { payloads = {}, limits = {}, session = {}, trustProxy: trustedProxies = [] } = rest
  return {
    ...{ host, port, isOpen, tokens, trustedProxies },
    accountRoles: accountRolesOf(accounts),
    oidc: provider && { claim: 'roles', nameClaim: 'sub', ...provider },
    sessionKey: env.WARREN_SESSION_KEY || undefined,
    sessionLifetimeMs: parseDuration(session.lifetime ?? '8h'),
    hidePayloadsFrom: payloads.hideFrom ?? [],
    maskedPaths: payloads.mask ?? [],
    maxRequests: limits.requests ?? 500,
    maxBodyBytes: limits.bodyBytes ?? 1024 * 1024,
  }
}

function accountRolesOf(accounts: boolean | { readonly roles: RoleNames }): RoleNames | undefined {
  if (typeof accounts === 'object') return accounts.roles
  return accounts ? roleByTag : undefined
}
