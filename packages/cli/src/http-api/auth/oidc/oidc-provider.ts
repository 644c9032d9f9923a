import { createRemoteJWKSet, errors, type JWTVerifyGetKey } from 'jose'
import { ApiError } from 'warrenmq/operations'

/** What a provider says of itself, as far as it is read here. */
export interface ProviderMetadata {
  readonly jwksUrl: string
  readonly authorizationUrl: string | undefined
  readonly tokenUrl: string | undefined
  /** Where somebody logs out of the provider; undefined where they cannot by an address. */
  readonly endSessionUrl: string | undefined
  /** Each of its answers to a browser says who gives it (RFC 9207). */
  readonly isNamedInAnswers: boolean
  /** How servers may show their secret; the first is what is taken for granted. */
  readonly secretWays: readonly string[]
}

/** An OIDC provider. Both are asked for once, and again by the next one where that fails. */
export interface OidcProvider {
  metadata(): Promise<ProviderMetadata>
  keys(): Promise<JWTVerifyGetKey>
}

/** How long the provider may take to answer. */
export const providerTimeoutMs = 10_000

/** Signatures only: a shared secret or none at all would let anybody sign. */
export const signatures: string[] = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA'],
]

export function openProvider({
  issuer,
  jwksUrl,
}: {
  readonly issuer: string
  readonly jwksUrl?: string | undefined
}): OidcProvider {
  const metadata = askOnce(() => discover(issuer))
  return {
    metadata,
    keys: askOnce(async () => createRemoteJWKSet(new URL(jwksUrl ?? (await metadata()).jwksUrl))),
  }
}

function askOnce<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let asked: Promise<Answer> | undefined
  return () => {
    asked ??= ask().catch((error: unknown) => {
      asked = undefined
      throw error
    })
    return asked
  }
}

async function discover(issuer: string): Promise<ProviderMetadata> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const answer = await fetch(address, { signal: AbortSignal.timeout(providerTimeoutMs) })
  const document = (await answer.json()) as Readonly<Record<string, unknown>>
  const urlOf = (name: string): string | undefined => readUrl(document[name], issuer)
  const jwksUrl = urlOf('jwks_uri')
  // A document of somebody else would have tokens checked with the keys of somebody else.
  if (document.issuer !== issuer || jwksUrl === undefined)
    throw new Error(`${address} is not the document of ${issuer}, or names no jwks_uri.`)
  const ways = document.token_endpoint_auth_methods_supported
  return {
    jwksUrl,
    authorizationUrl: urlOf('authorization_endpoint'),
    tokenUrl: urlOf('token_endpoint'),
    endSessionUrl: urlOf('end_session_endpoint'),
    isNamedInAnswers: document.authorization_response_iss_parameter_supported === true,
    secretWays: Array.isArray(ways) ? ways.filter((way) => typeof way === 'string') : ['client_secret_basic'],
  }
}

/** An address that is less private than that of the provider itself is none. */
function readUrl(value: unknown, issuer: string): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined
  const { protocol } = new URL(value)
  const isPrivate = protocol === 'https:' || (protocol === 'http:' && issuer.startsWith('http:'))
  return isPrivate ? value : undefined
}

/** Whatever else goes wrong is between us and the provider, and no fault of who sent the token. */
export function isAboutToken(error: unknown): boolean {
  if (!(error instanceof errors.JOSEError)) return false
  const ofProvider = [errors.JWKSTimeout.code, errors.JWKSInvalid.code, errors.JOSEError.code]
  return !ofProvider.includes(error.code)
}

export function providerUnavailable(issuer: string, cause: unknown): ApiError {
  const message = `The OIDC provider ${issuer} does not answer properly, so nobody can log in with it right now. Try again.`
  return new ApiError({ code: 'OIDC_UNAVAILABLE', message, retryAfterSeconds: 5 }, { cause })
}
