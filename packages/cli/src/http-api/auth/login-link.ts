import { randomBytes } from 'node:crypto'
import type { Credentials } from '../contract/contract.ts'
import { isSameSecret } from './same-secret.ts'

/** Logs one browser in as an account, once. */
export interface LoginLink {
  /** 256 bits, in letters that an address can have. It is in the link and nowhere else. */
  readonly secret: string
  /** The account, if the secret is right and nobody has used it. From then on it is used. */
  take(secret: string): Credentials | undefined
  /** It could not be used after all, through no fault of the browser. */
  giveBack(): void
}

/** Long enough for a browser to start, too short to be found later in a list of what ran. */
const lifetimeMs = 5 * 60_000

export function createLoginLink(
  credentials: Credentials,
  now: () => number = () => performance.now(),
): LoginLink {
  const secret = randomBytes(32).toString('base64url')
  const untilMs = now() + lifetimeMs
  let isUsed = false
  return {
    secret,
    take: (given) => {
      const isRight = isSameSecret(given, secret)
      if (!isRight || isUsed || now() >= untilMs) return undefined
      isUsed = true
      return credentials
    },
    giveBack: () => {
      isUsed = false
    },
  }
}
