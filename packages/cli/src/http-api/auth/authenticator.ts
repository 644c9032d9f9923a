import type { Credentials } from '../contract/contract.ts'
import type { CheckAccount } from './broker-accounts.ts'
import type { Caller } from './caller.ts'
import type { Guard } from './guard.ts'
import type { CheckBearer } from './oidc.ts'
import type { OpenSession, Sessions } from './sessions.ts'
import { checkToken, looksLikeToken, type StoredToken } from './stored-token.ts'
import type { AccountWatch } from './watch-accounts.ts'

/** The ways in that are open. */
export interface WaysIn {
  /** The same for all vhosts of a server, so that nobody has more guesses where there are more of them. */
  readonly guard: Guard
  /** What was right for another one is not yet right for this one. */
  readonly vhost: string
  /** Nobody is asked; for a server on loopback. */
  readonly isOpen: boolean
  readonly accounts: CheckAccount | undefined
  readonly tokens: readonly StoredToken[]
  readonly oidc: CheckBearer | undefined
  readonly sessions: Sessions
  readonly watch: AccountWatch | undefined
}

export interface Proof {
  readonly authorization: string | undefined
  readonly cookie: string | undefined
  /** Where it comes from. */
  readonly address: string
}

/** What was proved in another vhost: an account has its role there, and a person of a provider the same everywhere. */
export interface Proved {
  readonly caller: Caller
  readonly credentials: Credentials | undefined
}

export interface Authenticator {
  /** Who asks; undefined where nothing was sent. Throws an ApiError for what is wrong, expired or tried too often. */
  authenticate(proof: Proof): Promise<Caller | undefined>
  /** The same for a name and a password from a form. */
  logIn(credentials: Credentials, address: string): Promise<Caller>
  /** The same for whom a link has logged in. Nobody can guess one, so that it waits behind nobody who guesses. */
  logInByLink(credentials: Credentials, address: string): Promise<Caller>
  /** Who somebody is here who has logged in to another vhost of this server; undefined where they have no role here. */
  admit(proved: Proved): Promise<Caller | undefined>
  /** Opens a session for who has logged in. */
  openSession(caller: Caller): Promise<OpenSession>
}

export function createAuthenticator(ways: WaysIn): Authenticator {
  const guarded: Guard = ({ secret, ...guess }, check) =>
    ways.guard({ ...guess, secret: JSON.stringify([ways.vhost, secret]) }, check)

  const logIn: Authenticator['logIn'] = (credentials, address) =>
    guarded({ address, secret: JSON.stringify(credentials), account: credentials.username }, async () =>
      ways.accounts?.(credentials),
    )

  const checkBearer = async (token: string): Promise<Caller | undefined> =>
    looksLikeToken(token) ? checkToken(token, ways.tokens, Date.now()) : ways.oidc?.(token)

  /** As RabbitMQ knows the account now, and not as it was when the session was opened. */
  const readSession = async (cookie: string): Promise<Caller | undefined> => {
    const caller = await ways.sessions.read(cookie)
    return caller?.session?.isWatched && ways.watch ? ways.watch.refresh(caller) : caller
  }

  return {
    logIn,
    logInByLink: (credentials, address) =>
      guarded({ address, secret: JSON.stringify(credentials) }, async () => ways.accounts?.(credentials)),
    admit: async ({ caller, credentials }) => {
      if (caller.wayIn === 'oidc') return caller
      return credentials && ways.accounts?.(credentials)
    },
    openSession: async (caller) => {
      // Somebody of a provider may be named as an account of RabbitMQ is, and is not that account.
      const isAccount = caller.wayIn === 'broker-account'
      const isWatched = isAccount && ((await ways.watch?.canSee(caller.name)) ?? false)
      return ways.sessions.open(caller, { isWatched })
    },
    authenticate: async ({ authorization, cookie, address }) => {
      if (authorization !== undefined) {
        const [, scheme = '', value = ''] = /^(\S+) +(\S+)$/.exec(authorization) ?? []
        if (scheme.toLowerCase() === 'basic') return logIn(readBasic(value), address)
        return guarded({ address, secret: authorization }, async () =>
          scheme.toLowerCase() === 'bearer' ? checkBearer(value) : undefined,
        )
      }
      // A cookie that is none of ours is one of before the key changed: nobody guesses 256 bits.
      const ofSession = cookie === undefined ? undefined : await readSession(cookie)
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

function readBasic(encoded: string): Credentials {
  const decoded = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = decoded.indexOf(':')
  if (colon < 1) return { username: '', password: '' }
  return { username: decoded.slice(0, colon), password: decoded.slice(colon + 1) }
}
