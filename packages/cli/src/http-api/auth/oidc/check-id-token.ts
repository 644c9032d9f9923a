import { type JWTPayload, jwtVerify } from 'jose'
import { isSameSecret } from '../same-secret.ts'
import { loginRefused } from './login-refused.ts'
import { isAboutToken, type OidcProvider, providerUnavailable, signatures } from './oidc-provider.ts'

export interface ExpectedToken {
  readonly issuer: string
  readonly clientId: string
  /** That of the login which the token is to be for. */
  readonly nonce: string
}

/** The claims of an ID token that is for this server and this login. Throws where it is not. */
export async function checkIdToken(
  token: string,
  { keys }: Pick<OidcProvider, 'keys'>,
  { issuer, clientId, nonce }: ExpectedToken,
): Promise<JWTPayload> {
  const claims = await verify(token, { keys, issuer, clientId })
  const { aud, azp, sub } = claims
  if (!isSameSecret(String(claims.nonce), nonce)) throw unusable('the nonce is that of another login')
  // A token for several is for who asked for it.
  const isForOthers = Array.isArray(aud) && aud.length > 1
  if (azp === undefined ? isForOthers : azp !== clientId) throw unusable('azp names another client')
  if (typeof sub !== 'string' || sub.trim() === '') throw unusable('sub is empty')
  return claims
}

async function verify(
  token: string,
  { keys, issuer, clientId }: Pick<OidcProvider, 'keys'> & Omit<ExpectedToken, 'nonce'>,
): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, await keys(), {
      issuer,
      audience: clientId,
      algorithms: signatures,
      clockTolerance: 30,
      requiredClaims: ['exp', 'iat', 'sub', 'nonce'],
    })
    return payload
  } catch (error) {
    if (isAboutToken(error)) throw unusable((error as Error).message)
    throw providerUnavailable(issuer, error)
  }
}

function unusable(why: string): Error {
  const message =
    'The provider sent a token that is not for this login. Log in again; the server log says more.'
  return loginRefused(message, `The ID token cannot be used: ${why}`)
}
