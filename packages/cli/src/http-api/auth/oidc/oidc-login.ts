import { createHash, randomBytes } from 'node:crypto'
import { ApiError } from 'warrenmq/operations'
import type { LoginAnswerQuery } from '../../contract/contract.ts'
import { endpoints } from '../../contract/endpoints.ts'
import type { Caller } from '../caller.ts'
import { isSameSecret } from '../same-secret.ts'
import { type BegunLogin, createBegunLogins } from './begun-logins.ts'
import { callerOfClaims } from './caller-of-claims.ts'
import { checkIdToken } from './check-id-token.ts'
import { loginRefused, quoteForLog, sayRefusal } from './login-refused.ts'
import { type OidcProvider, type ProviderMetadata, providerUnavailable } from './oidc-provider.ts'
import type { BrowserLoginSettings, OidcSettings } from './oidc-settings.ts'
import { readReturnPath } from './read-return-path.ts'
import { redeemCode } from './redeem-code.ts'
import { soleCookie } from './sole-cookie.ts'

/** Logs browsers in at an OIDC provider: authorization code with PKCE, state and nonce. */
export interface OidcLogin {
  readonly cookie: {
    readonly name: string
    /** Browsers reach this server by TLS. */
    readonly isSecure: boolean
  }
  /** Where to send the browser, and what it keeps until it comes back. @param returnTo @default the start page */
  begin(returnTo: string | undefined): Promise<{ readonly url: string; readonly cookie: string }>
  /** Who has come back. Throws an ApiError that says in a sentence why nobody has. */
  finish(
    answer: LoginAnswerQuery,
    cookies: string | undefined,
  ): Promise<{ readonly caller: Caller; readonly returnTo: string }>
  /** Where a browser that was not logged in tries again. */
  readonly againUrl: string
  /** Where somebody logs out of the provider, and comes back from. */
  logOutUrl(): Promise<string>
}

export interface OidcLoginOptions {
  readonly settings: OidcSettings
  readonly browser: BrowserLoginSettings
  readonly provider: OidcProvider
  readonly key: string | undefined
  readonly vhost: string
}

export function createOidcLogin(options: OidcLoginOptions): OidcLogin {
  const { browser, settings } = options
  const { publicUrl } = browser
  const { issuer } = settings
  const isSecure = publicUrl.startsWith('https:')
  // With this prefix browsers take the cookie from this very host only, and not from one beside it.
  const name = isSecure ? '__Host-warren_login' : 'warren_login'
  const begun = createBegunLogins(options)

  const metadata = async (): Promise<ProviderMetadata> => {
    try {
      return await options.provider.metadata()
    } catch (error) {
      throw providerUnavailable(issuer, error)
    }
  }

  return {
    cookie: { name, isSecure },
    againUrl: `${new URL(publicUrl).pathname.replace(/\/$/, '')}${endpoints.beginLogin.path}`,
    begin: async (path = new URL(`${publicUrl}/`).pathname) => {
      const login = newLogin(readReturn(path, publicUrl))
      const url = authorizationUrl({ login, browser, issuer, metadata: await metadata() })
      return { url, cookie: await begun.seal(login) }
    },
    finish: async (answer, cookies) => {
      const sealed = soleCookie(cookies, name)
      const login = sealed === undefined ? undefined : await begun.open(sealed)
      if (!login || !isSameSecret(answer.state ?? '', login.state)) throw loginRefused(notThisBrowser)
      if (!begun.take(login)) throw loginRefused(usedBefore)
      const known = await metadata()
      checkAnswer(answer, { issuer, known })
      return { caller: await findCaller({ ...options, answer, login, known }), returnTo: login.returnTo }
    },
    logOutUrl: async () => {
      const { endSessionUrl } = await metadata()
      if (endSessionUrl === undefined) return `${publicUrl}/`
      return withQuery(endSessionUrl, {
        client_id: browser.clientId,
        post_logout_redirect_uri: `${publicUrl}/`,
      })
    },
  }
}

const notThisBrowser =
  'No login is in progress in this browser, or it took more than ten minutes. Log in again.'
const usedBefore = 'This login was already used. Log in again.'
const notTheProvider =
  'The answer to this login came from a different provider. Log in again, and tell the people who run this server.'
const noRole =
  'You are logged in at the provider, but none of your roles there gives you a role here. Ask the people who run this server.'

function readReturn(path: string, publicUrl: string): string {
  const returnTo = readReturnPath(path, publicUrl)
  if (returnTo !== undefined) return returnTo
  const message = 'returnTo must be the path of a page of this server, such as /docs.'
  throw new ApiError({ code: 'API_REQUEST_INVALID', message })
}

function newLogin(returnTo: string): BegunLogin {
  const random = (): string => randomBytes(32).toString('base64url')
  return { state: random(), nonce: random(), verifier: random(), returnTo }
}

interface Authorization {
  readonly login: BegunLogin
  readonly browser: BrowserLoginSettings
  readonly issuer: string
  readonly metadata: ProviderMetadata
}

function authorizationUrl({ login, browser, issuer, metadata }: Authorization): string {
  if (metadata.authorizationUrl === undefined)
    throw providerUnavailable(issuer, new Error('It names no authorization_endpoint.'))
  return withQuery(metadata.authorizationUrl, {
    response_type: 'code',
    client_id: browser.clientId,
    redirect_uri: redirectUriOf(browser),
    scope: browser.scopes.join(' '),
    state: login.state,
    nonce: login.nonce,
    code_challenge: createHash('sha256').update(login.verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
}

function redirectUriOf({ publicUrl }: BrowserLoginSettings): string {
  return `${publicUrl}${endpoints.finishLogin.path}`
}

/** Before anything of the answer is used: another provider could have its codes redeemed here, or get ours. */
function checkAnswer(
  { iss, error, error_description: description }: LoginAnswerQuery,
  { issuer, known }: { readonly issuer: string; readonly known: ProviderMetadata },
): void {
  if (iss === undefined ? known.isNamedInAnswers : iss !== issuer) throw loginRefused(notTheProvider)
  if (error === undefined) return
  const said = quoteForLog(`${error}: ${description ?? 'no description'}`)
  throw loginRefused(sayRefusal(error), `The provider answered ${said}`)
}

interface Return extends OidcLoginOptions {
  readonly answer: LoginAnswerQuery
  readonly login: BegunLogin
  readonly known: ProviderMetadata
}

async function findCaller({ answer, login, known, settings, browser, provider }: Return): Promise<Caller> {
  const { issuer } = settings
  const { clientId, clientSecret } = browser
  const { code = '' } = answer
  if (code === '') throw loginRefused(sayRefusal('no_code'))
  const { tokenUrl, secretWays } = known
  if (tokenUrl === undefined) throw providerUnavailable(issuer, new Error('It names no token_endpoint.'))
  const token = await redeemCode({
    issuer,
    tokenUrl,
    secretWays,
    clientId,
    clientSecret,
    redirectUri: redirectUriOf(browser),
    code,
    verifier: login.verifier,
  })
  const claims = await checkIdToken(token, provider, { issuer, clientId, nonce: login.nonce })
  const caller = callerOfClaims(claims, settings)
  if (!caller) throw new ApiError({ code: 'API_FORBIDDEN', message: noRole })
  return caller
}

function withQuery(address: string, fields: Readonly<Record<string, string>>): string {
  const url = new URL(address)
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value)
  return url.href
}
