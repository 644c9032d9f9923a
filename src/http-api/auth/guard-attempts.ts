import { ApiError } from '../../errors.ts'
import type { Caller } from './caller.ts'
import { type AttemptRule, countFailure, type FailedAttempts, lockedForMs } from './failed-attempts-state.ts'
import { limitByName } from './limit-by-name.ts'
import { networkOf } from './network-of.ts'

const perAddress: AttemptRule = { most: 10, windowMs: 60_000 }
// Higher, since whoever knows the name of an account could lock it by trying.
const perAccount: AttemptRule = { most: 30, windowMs: 60_000 }

/** Different credentials of one address that are checked at the same time. */
const mostAtOnce = 5

export interface Guess {
  readonly address: string
  /** All that was sent, by which the same is known again. */
  readonly secret: string
  /** Whose credentials they are said to be, where that is said. */
  readonly account?: string
}

/** Who it is; throws where the check finds nobody, or the guesses were too many. */
export type Guard = (guess: Guess, check: () => Promise<Caller | undefined>) => Promise<Caller>

/**
 * Counts wrong credentials and lets nobody try too often. Many who send the same at once, as a console does, are one
 * question. Many different ones wait for each other: else all of them would be checked before the first is known to be
 * wrong.
 */
export function createGuard(): Guard {
  let attempts: FailedAttempts = new Map()
  const atOnce = limitByName(mostAtOnce)
  const asking = new Map<string, Promise<Caller>>()

  /** Refuses before anything is compared, so that a guess tells nothing while it is locked. */
  async function checkOnce(names: readonly Attempt[], check: () => Promise<Caller | undefined>) {
    const nowMs = Date.now()
    const waitMs = Math.max(...names.map((each) => lockedForMs(attempts, { ...each, nowMs })))
    if (waitMs > 0) throw tooMany(waitMs)
    const caller = await check()
    if (caller) return caller
    for (const each of names) attempts = countFailure(attempts, { ...each, nowMs })
    throw wrongCredentials()
  }

  return ({ address, secret, account }, check) => {
    const network = networkOf(address)
    const names = [{ name: `address ${network}`, rule: perAddress }]
    if (account !== undefined) names.push({ name: `account ${account}`, rule: perAccount })
    const question = JSON.stringify([network, secret])
    const known = asking.get(question)
    if (known) return known
    const asked = atOnce(network, () => checkOnce(names, check)).finally(() => asking.delete(question))
    asking.set(question, asked)
    return asked
  }
}

interface Attempt {
  readonly name: string
  readonly rule: AttemptRule
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
