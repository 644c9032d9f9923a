import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { ApiError } from '../../errors.ts'
import type { Caller } from './caller.ts'
import { decideRole, type RoleNames } from './decide-role.ts'

export interface OidcSettings {
  readonly issuer: string
  readonly audience: string
  /** @default what the issuer's discovery document says */
  readonly jwksUrl?: string | undefined
  /** The claim with the names of roles; `a.b` for one inside another. @default 'roles' */
  readonly claim: string
  readonly roles: RoleNames
  /** @default 'sub' */
  readonly nameClaim: string
}

/** Says who a bearer token belongs to; undefined where it is not one of ours. */
export type CheckBearer = (token: string) => Promise<Caller | undefined>

/** Signatures only: a shared secret or none at all would let anybody sign. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

export function openOidc(settings: OidcSettings): CheckBearer {
  const { issuer, audience } = settings
  let keys: Promise<JWTVerifyGetKey> | undefined
  return async (token) => {
    keys ??= findKeys(settings)
    try {
      const found = await keys.catch((error: unknown) => {
        keys = undefined // the next one asks again
        throw error
      })
      const { payload } = await jwtVerify(token, found, {
        ...{ issuer, audience, algorithms, clockTolerance: 30 },
        requiredClaims: ['exp'], // one that never ends cannot be taken back
      })
      return callerOf(payload, settings)
    } catch (error) {
      if (error instanceof errors.JWTExpired) {
        const message = 'The OIDC token has expired. Log in at your provider again.'
        throw new ApiError({ code: 'API_CREDENTIALS_EXPIRED', message })
      }
      if (isAboutToken(error)) return undefined
      throw unavailable(issuer, error)
    }
  }
}

/** Whatever else goes wrong is between us and the provider, and no fault of who sent the token. */
function isAboutToken(error: unknown): boolean {
  if (!(error instanceof errors.JOSEError)) return false
  const ofProvider = [errors.JWKSTimeout.code, errors.JWKSInvalid.code, errors.JOSEError.code]
  return !ofProvider.includes(error.code)
}

function unavailable(issuer: string, cause: unknown): ApiError {
  const message = `The keys of ${issuer} cannot be had now, so nobody can be let in by them. Try again.`
  return new ApiError({ code: 'OIDC_UNAVAILABLE', message, retryAfterSeconds: 5 }, { cause })
}

async function findKeys({ issuer, jwksUrl }: OidcSettings): Promise<JWTVerifyGetKey> {
  return createRemoteJWKSet(new URL(jwksUrl ?? (await discover(issuer))))
}

async function discover(issuer: string): Promise<string> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const answer = await fetch(address, { signal: AbortSignal.timeout(10_000) })
  const { issuer: named, jwks_uri: keys } = (await answer.json()) as { issuer?: unknown; jwks_uri?: unknown }
  // A document of somebody else would have tokens checked with the keys of somebody else.
  if (named === issuer && typeof keys === 'string') return keys
  throw new Error(`${address} is not the document of ${issuer}, or names no jwks_uri.`)
}

function callerOf(payload: JWTPayload, { claim, roles, nameClaim }: OidcSettings): Caller | undefined {
  const role = decideRole(textsOf(claimOf(payload, claim)), roles)
  const name = claimOf(payload, nameClaim) ?? payload.sub
  // Who has no name could not be told from anybody else in the audit log, nor from who asks for an approval.
  if (role === undefined || typeof name !== 'string' || name.trim() === '') return undefined
  return { name, role, wayIn: 'oidc', readableQueues: undefined }
}

function claimOf(payload: JWTPayload, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, name) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, name)
          ? (value as Record<string, unknown>)[name]
          : undefined,
      payload,
    )
}

/** Providers write a list, or one text with spaces as for scopes. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.split(' ')
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}
