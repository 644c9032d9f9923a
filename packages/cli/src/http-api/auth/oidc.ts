import { errors, jwtVerify } from 'jose'
import { ApiError } from 'warrenmq/operations'
import type { Caller } from './caller.ts'
import { callerOfClaims } from './oidc/caller-of-claims.ts'
import { createOidcLogin, type OidcLogin } from './oidc/oidc-login.ts'
import {
  isAboutToken,
  type OidcProvider,
  openProvider,
  providerUnavailable,
  signatures,
} from './oidc/oidc-provider.ts'
import type { OidcSettings } from './oidc/oidc-settings.ts'

/** Says who a bearer token belongs to; undefined where it is not one of ours. */
export type CheckBearer = (token: string) => Promise<Caller | undefined>

/** The ways in by one provider: for programs that bring a token, and for browsers that log in there. */
export interface Oidc {
  readonly checkBearer: CheckBearer
  /** Undefined: only programs come by it. */
  readonly login: OidcLogin | undefined
}

export function openOidc(
  settings: OidcSettings,
  forLogin: { readonly key: string | undefined; readonly vhost: string },
): Oidc {
  const provider = openProvider(settings)
  const { browser } = settings
  return {
    checkBearer: bearerCheck(settings, provider),
    login: browser && createOidcLogin({ ...forLogin, settings, browser, provider }),
  }
}

function bearerCheck(settings: OidcSettings, provider: OidcProvider): CheckBearer {
  const { issuer, audience } = settings
  return async (token) => {
    try {
      const { payload } = await jwtVerify(token, await provider.keys(), {
        issuer,
        audience,
        algorithms: signatures,
        clockTolerance: 30,
        requiredClaims: ['exp'], // one that never ends cannot be taken back
      })
      return callerOfClaims(payload, settings)
    } catch (error) {
      if (error instanceof errors.JWTExpired) {
        const message = 'The OIDC token has expired. Log in at your provider again.'
        throw new ApiError({ code: 'API_CREDENTIALS_EXPIRED', message })
      }
      if (isAboutToken(error)) return undefined
      throw providerUnavailable(issuer, error)
    }
  }
}
