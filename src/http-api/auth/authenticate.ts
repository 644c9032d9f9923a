import { ApiError } from '../../errors.ts'
import type { Credentials } from '../contract.ts'
import { checkToken, looksLikeToken, type StoredToken } from './api-tokens.ts'
import type { CheckAccount } from './broker-accounts.ts'
import type { Caller } from './caller.ts'
import { type AttemptRule, countFailure, type FailedAttempts, lockedForMs } from './failed-attempts-state.ts'
import type { CheckBearer } from './oidc.ts'
import type { Sessions } from './sessions.ts'

/** The ways in that are open. */
export interface WaysIn {
  /** Nobody is asked; for a server on loopback. */
  readonly isOpen: boolean
  readonly accounts: CheckAccount | undefined
  readonly tokens: readonly StoredToken[]
  readonly oidc: CheckBearer | undefined
  readonly sessions: Sessions
}

export interface Proof {
  readonly authorization: string | undefined
  readonly cookie: string | undefined
  /** Where it comes from. */
  readonly address: string
}

export interface Authenticator {
  /** Who asks; undefined where nothing was sent. Throws an ApiError for what is wrong, expired or tried too often. */
  authenticate(proof: Proof): Promise<Caller | undefined>
  /** The same for a name and a password from a form. */
  logIn(credentials: Credentials, address: string): Promise<Caller>
}

const perAddress: AttemptRule = { most: 10, windowMs: 60_000 }
// Higher, since whoever knows the name of an account could lock it by trying.
const perAccount: AttemptRule = { most: 30, windowMs: 60_000 }

export function createAuthenticator(ways: WaysIn): Authenticator {
  let attempts: FailedAttempts = new Map()

  /** Refuses before anything is compared, so that a guess tells nothing while it is locked. */
  async function guarded(
    names: readonly Attempt[],
    check: () => Promise<Caller | undefined>,
  ): Promise<Caller> {
    const nowMs = Date.now()
    const waitMs = Math.max(...names.map((each) => lockedForMs(attempts, { ...each, nowMs })))
    if (waitMs > 0) throw tooMany(waitMs)
    const caller = await check()
    if (caller) return caller
    for (const each of names) attempts = countFailure(attempts, { ...each, nowMs })
    throw wrongCredentials()
  }

  const logIn: Authenticator['logIn'] = (credentials, address) =>
    guarded([byAddress(address), { name: `account ${credentials.username}`, rule: perAccount }], async () =>
      ways.accounts?.(credentials),
    )

  const checkBearer = async (token: string): Promise<Caller | undefined> =>
    looksLikeToken(token) ? checkToken(token, ways.tokens, Date.now()) : ways.oidc?.(token)

  return {
    logIn,
    authenticate: async ({ authorization, cookie, address }) => {
      if (authorization !== undefined) {
        const [, scheme = '', value = ''] = /^(\S+) +(\S+)$/.exec(authorization) ?? []
        if (scheme.toLowerCase() === 'basic') return logIn(readBasic(value), address)
        return guarded([byAddress(address)], async () =>
          scheme.toLowerCase() === 'bearer' ? checkBearer(value) : undefined,
        )
      }
      // A cookie that is none of ours is one of before the key changed: nobody guesses 256 bits.
      const ofSession = cookie === undefined ? undefined : await ways.sessions.read(cookie)
      return ofSession ?? (ways.isOpen ? everybody : undefined)
    },
  }
}

const everybody: Caller = {
  name: 'anonymous',
  role: 'admin',
  wayIn: 'nobody-asked',
  readableQueues: undefined,
}

interface Attempt {
  readonly name: string
  readonly rule: AttemptRule
}

function byAddress(address: string): Attempt {
  return { name: `address ${address}`, rule: perAddress }
}

function readBasic(encoded: string): Credentials {
  const decoded = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = decoded.indexOf(':')
  if (colon < 1) return { username: '', password: '' }
  return { username: decoded.slice(0, colon), password: decoded.slice(colon + 1) }
}

function wrongCredentials(): ApiError {
  const message = 'These credentials are not known here, or have no role in this vhost. Check them.'
  return new ApiError({ code: 'API_NOT_AUTHENTICATED', message })
}

function tooMany(waitMs: number): ApiError {
  const retryAfterSeconds = Math.ceil(waitMs / 1000)
  const message = `Too many wrong credentials. Try again in ${retryAfterSeconds} seconds.`
  return new ApiError({ code: 'API_TOO_MANY_ATTEMPTS', message, retryAfterSeconds })
}
