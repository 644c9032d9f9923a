import { readFileSync } from 'node:fs'
import Type from 'typebox'
import { InvalidArgumentError, type ServerOidcDeclaration } from 'warrenmq'
import type { Role } from '../../contract/contract.ts'
import { readPublicPath } from '../../public-path.ts'
import type { RoleNames } from '../decide-role.ts'

/** The provider whose tokens are believed, and how browsers log in there. */
export interface OidcSettings {
  readonly issuer: string
  /** Whom tokens of programs must be made for. */
  readonly audience: string
  /** @default what the issuer's discovery document says */
  readonly jwksUrl?: string | undefined
  /** The claim with the names of roles; `a.b` for one inside another. @default 'roles' */
  readonly claim: string
  readonly roles: RoleNames
  /** @default 'sub' */
  readonly nameClaim: string
  /** Undefined: only programs come by this way. */
  readonly browser: BrowserLoginSettings | undefined
}

export interface BrowserLoginSettings {
  /** The name under which the provider knows this server. */
  readonly clientId: string
  /** Undefined for a public client, which proves itself by PKCE alone. */
  readonly clientSecret: string | undefined
  /** How browsers reach this server, such as `https://warren.example` or `https://example.com/ops/warren`. */
  readonly publicUrl: string
  readonly scopes: readonly string[]
}

const text = Type.String({ minLength: 1 })
const role = Type.Unsafe<Role>({ type: 'string', enum: ['viewer', 'operator', 'admin'] })
// As RFC 6749 has it: they are sent with spaces between them.
const scope = Type.String({ pattern: '^[!#-\\[\\]-~]+$' })

const section = Type.Object(
  {
    issuer: Type.String({ minLength: 1, description: 'the provider, as its tokens name it in iss' }),
    audience: Type.String({ minLength: 1, description: 'the audience of tokens that programs bring (aud)' }),
    roles: Type.Record(Type.String(), role),
    jwksUrl: Type.Optional(text),
    claim: Type.Optional(text),
    nameClaim: Type.Optional(text),
    clientId: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'lets browsers log in: the id of this server at the provider',
      }),
    ),
    clientSecretFile: Type.Optional(
      Type.String({ minLength: 1, description: 'instead of WARREN_OIDC_CLIENT_SECRET' }),
    ),
    publicUrl: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'how browsers reach this server, such as https://warren.example or https://example.com/ops/warren',
      }),
    ),
    scopes: Type.Optional(Type.Array(scope)),
  },
  { additionalProperties: false },
)

/** The schema of `server.auth.oidc`. */
export const oidcSection: Type.TUnsafe<ServerOidcDeclaration> = Type.Unsafe<ServerOidcDeclaration>(section)

type Environment = Readonly<Record<string, string | undefined>>

/** Reads `server.auth.oidc`. The secret comes from the environment or from a file. */
export function readOidcSection(given: ServerOidcDeclaration, env: Environment): OidcSettings {
  const { issuer, audience, roles, jwksUrl, claim = 'roles', nameClaim = 'sub' } = given
  return { issuer, audience, roles, jwksUrl, claim, nameClaim, browser: readBrowserLogin(given, env) }
}

function readBrowserLogin(given: ServerOidcDeclaration, env: Environment): BrowserLoginSettings | undefined {
  const { clientId, publicUrl, clientSecretFile, scopes = ['openid'] } = given
  if (clientId === undefined || publicUrl === undefined) {
    refuseHalf(given)
    return undefined
  }
  if (!isPrivateConnection(given.issuer))
    throw mistake(
      'issuer',
      `is ${given.issuer}. Browsers log in over https:// only, or over http:// on this machine.`,
    )
  if (!scopes.includes('openid'))
    throw mistake('scopes', 'has no "openid"; without it, the provider does not say who logged in. Add it.')
  return {
    clientId,
    publicUrl: readPublicUrl(publicUrl),
    scopes,
    clientSecret: readSecret(env.WARREN_OIDC_CLIENT_SECRET || undefined, clientSecretFile),
  }
}

/** Whoever says a part of it means all of it. */
function refuseHalf(given: ServerOidcDeclaration): void {
  const names = ['clientId', 'publicUrl', 'clientSecretFile', 'scopes'] as const
  const said = names.find((name) => given[name] !== undefined)
  if (said === undefined) return
  const missing = given.clientId === undefined ? 'clientId' : 'publicUrl'
  throw mistake(
    said,
    `is for browsers that log in at the provider, which also needs ${missing}. Add it, or remove ${said}.`,
  )
}

function readPublicUrl(publicUrl: string): string {
  const url = URL.canParse(publicUrl) ? new URL(publicUrl) : undefined
  const more = url && [url.username, url.password, url.search, url.hash].join('')
  if (!url || more !== '' || !/^https?:$/.test(url.protocol))
    throw mistake(
      'publicUrl',
      `is "${publicUrl}"; it must be a scheme, a host, and at most a port and a path, such as https://warren.example or https://example.com/ops/warren.`,
    )
  if (!isPrivateConnection(url.origin))
    throw mistake(
      'publicUrl',
      `is ${url.origin}. Over http:// anybody in between could log in as somebody else. Use https://, or a name of this machine.`,
    )
  return `${url.origin}${readPublicPath('auth.oidc.publicUrl', url.pathname)}`
}

/** Nobody between the two ends can read along. */
function isPrivateConnection(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname } = new URL(address)
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  return protocol === 'https:' || (protocol === 'http:' && isHere)
}

function readSecret(given: string | undefined, file: string | undefined): string | undefined {
  if (file === undefined) return given
  if (given !== undefined)
    throw mistake('clientSecretFile', 'is set, and so is WARREN_OIDC_CLIENT_SECRET. Keep one of them.')
  const secret = readSecretFile(file)
  if (secret !== '') return secret
  throw mistake('clientSecretFile', `names ${file}, which is empty. A public client needs no file.`)
}

function readSecretFile(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code ?? 'no reason given'
    throw mistake('clientSecretFile', `names ${file}, which cannot be read (${why}).`)
  }
}

function mistake(name: string, problem: string): InvalidArgumentError {
  return new InvalidArgumentError(`server.auth.oidc.${name} ${problem}`)
}
