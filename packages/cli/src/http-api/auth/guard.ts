import { createHmac, randomBytes } from 'node:crypto'
import { ApiError, type Clock, steadyClock } from 'warrenmq/operations'
import type { Caller } from './caller.ts'
import { type AttemptRule, countFailure, type FailedAttempts, lockedForMs } from './failed-attempts.ts'
import { foldName } from './fold-name.ts'
import { limitByName } from './limit-by-name.ts'
import { networkOf } from './network-of.ts'
import { createSlowLanes, type Lane } from './slow-lanes.ts'

const perAddress: AttemptRule = { most: 10, windowMs: 60_000 }
// Higher, since whoever knows the name of an account could slow it down by trying.
const perAccount: AttemptRule = { most: 30, windowMs: 60_000 }

/** Different credentials of one address that are checked at the same time, and different passwords of one account. */
const mostAtOnce = 5
/** Of names under which too much was wrong. Owners of accounts wait here, too, so that it is not for long. */
const mostInLane = 4
/** Credentials that were right are known again for so long, and so many of them. */
const rememberedMs = 24 * 3_600_000
const mostRemembered = 10_000

export interface Guess {
  readonly address: string
  /** All that was sent, by which the same is known again. */
  readonly secret: string
  /** Whose password it is said to be; undefined for a key that is too long to be guessed. */
  readonly account?: string
}

/** Who it is; throws where the check finds nobody, or the guesses were too many. */
export type Guard = (guess: Guess, check: () => Promise<Caller | undefined>) => Promise<Caller>

/**
 * Counts wrong credentials and slows down who guesses, without locking out who is right. Keys cannot be guessed, so a
 * right one is always taken. Passwords that were right before are checked as ever. All others wait in a lane once too
 * much was wrong under the name of their address or account, and what finds no place there is refused unchecked.
 *
 * Many who send the same at once, as a console does, are one question. Many different ones of an address, or for an
 * account, wait for each other: else all of them would be checked before the first is known to be wrong.
 */
export function createGuard(clock: Clock = steadyClock): Guard {
  let attempts: FailedAttempts = new Map()
  const atOnce = limitByName(mostAtOnce)
  const asking = new Map<string, Promise<Caller>>()
  const runSlowly = createSlowLanes()
  const wasRight = rememberSecrets(clock)

  const waitOf = (each: Attempt): number => lockedForMs(attempts, { ...each, nowMs: clock.now() })

  function fail(names: readonly Attempt[]): never {
    const waitMs = Math.max(...names.map(waitOf))
    for (const each of names) attempts = countFailure(attempts, { ...each, nowMs: clock.now() })
    throw waitMs > 0 ? tooMany(waitMs) : wrongCredentials()
  }

  async function checkKey(names: readonly Attempt[], check: Check): Promise<Caller> {
    return (await check()) ?? fail(names)
  }

  async function checkPassword(names: readonly Attempt[], secret: string, check: Check): Promise<Caller> {
    const look = async (): Promise<Caller> => {
      const caller = await check()
      wasRight.set(secret, caller !== undefined)
      if (caller) return caller
      for (const each of names) attempts = countFailure(attempts, { ...each, nowMs: clock.now() })
      throw wrongCredentials()
    }
    if (wasRight.has(secret)) return look()
    // Whoever waits here may be slow by then, or right.
    const inTurn = async (): Promise<Caller | readonly Attempt[]> => {
      const slow = wasRight.has(secret) ? [] : names.filter((each) => waitOf(each) > 0)
      return slow.length === 0 ? look() : slow
    }
    const found = await atOnce(names.at(-1)!.name, inTurn)
    return 'role' in found ? found : inLanes(found, look)
  }

  function inLanes(slow: readonly Attempt[], look: () => Promise<Caller>): Promise<Caller> {
    const inTurn = slow.reduce<() => Promise<Caller>>(
      (next, each) => async () => (await runSlowly(each.lane, next)) ?? refuse(each),
      look,
    )
    return inTurn()
  }

  function refuse(each: Attempt): never {
    throw tooMany(Math.max(1, waitOf(each)))
  }

  return ({ address, secret, account }, check) => {
    const network = networkOf(address)
    const names = namesOf(network, account)
    const question = JSON.stringify([network, secret])
    const known = asking.get(question)
    if (known) return known
    const work = () => (account === undefined ? checkKey(names, check) : checkPassword(names, secret, check))
    const asked = atOnce(laneOf(network, account, wasRight.has(secret)), work).finally(() =>
      asking.delete(question),
    )
    asking.set(question, asked)
    return asked
  }
}

type Check = () => Promise<Caller | undefined>

interface Attempt {
  readonly name: string
  readonly rule: AttemptRule
  readonly lane: Lane
}

/** Who guesses passwords must not have others wait behind them who send a key, or what was right before. */
function laneOf(network: string, account: string | undefined, wasRight: boolean): string {
  return `${account === undefined ? 'keys' : wasRight ? 'known' : 'passwords'} ${network}`
}

function namesOf(network: string, account: string | undefined): readonly Attempt[] {
  const address = attempt(`address ${network}`, { rule: perAddress, place: account ?? '' })
  if (account === undefined) return [address]
  return [address, attempt(`account ${foldName(account)}`, { rule: perAccount, place: network })]
}

/** In a lane it goes on as fast as it did before it was one. */
function attempt(name: string, { rule, place }: { rule: AttemptRule; place: string }): Attempt {
  return { name, rule, lane: { name, place, pauseMs: rule.windowMs / rule.most, most: mostInLane } }
}

/** What was right lately. Kept as hashes with a key of this process, which are of no use to anybody. */
function rememberSecrets(clock: Clock) {
  const key = randomBytes(32)
  const untilMs = new Map<string, number>()
  const nameOf = (secret: string): string => createHmac('sha256', key).update(secret).digest('base64')
  return {
    has: (secret: string): boolean => (untilMs.get(nameOf(secret)) ?? 0) > clock.now(),
    set: (secret: string, isRight: boolean): void => {
      const name = nameOf(secret)
      untilMs.delete(name)
      if (!isRight) return
      if (untilMs.size >= mostRemembered) untilMs.delete(untilMs.keys().next().value!)
      untilMs.set(name, clock.now() + rememberedMs)
    },
  }
}

function wrongCredentials(): ApiError {
  const message = 'These credentials are unknown here, or have no role in this vhost. Check them.'
  return new ApiError({ code: 'API_NOT_AUTHENTICATED', message })
}

function tooMany(waitMs: number): ApiError {
  const retryAfterSeconds = Math.ceil(waitMs / 1000)
  const message = `Too many wrong credentials. Try again in ${retryAfterSeconds} seconds.`
  return new ApiError({ code: 'API_TOO_MANY_ATTEMPTS', message, retryAfterSeconds })
}
