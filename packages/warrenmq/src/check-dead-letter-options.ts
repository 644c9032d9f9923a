import type { CausesOptions, LookChoice, PeekOptions, RedriveChoice } from './dead-letter-options.ts'
import { InvalidArgumentError } from './errors.ts'
import { refuseChoice } from './message/refuse-choice.ts'
import { refuseNumber } from './message/refuse-number.ts'
import { type OptionNames, refuseUnknown } from './message/refuse-unknown.ts'

const lookNames: OptionNames<LookChoice> = {
  where: true,
  acceptDeliveryLimit: true,
  maxHoldMs: true,
  by: true,
}
const causesNames: OptionNames<CausesOptions> = { ...lookNames, count: true, groupBy: true }
const peekNames: OptionNames<PeekOptions> = { ...lookNames, count: true, bodyBytes: true }
const redriveNames: OptionNames<RedriveChoice> = {
  ...lookNames,
  to: true,
  trustHeaders: true,
  attempts: true,
  limit: true,
  ratePerSecond: true,
  canary: true,
  stopWhenDead: true,
  stopWhenTargetAbove: true,
  waitMs: true,
  reason: true,
  signal: true,
  onProgress: true,
  onWait: true,
}
const canaryNames: OptionNames<NonNullable<RedriveChoice['canary']>> = { messages: true, waitMs: true }

/** Refuses what a program without types may pass: a filter or a limit that is none would choose other messages. */
export function checkPeekOptions(options: PeekOptions): void {
  refuseUnknown('peek()', options, peekNames)
  checkLook('peek()', options)
  refuseNumber('count of peek()', options.count)
  refuseNumber('bodyBytes of peek()', options.bodyBytes)
}

export function checkCausesOptions(options: CausesOptions): void {
  refuseUnknown('causes()', options, causesNames)
  checkLook('causes()', options)
  refuseNumber('count of causes()', options.count)
  const groupBy: unknown = options.groupBy ?? []
  const isNames = Array.isArray(groupBy) && groupBy.every((name) => typeof name === 'string')
  if (!isNames) refuseText('groupBy of causes()', groupBy)
}

/** `owner` is `preview()` or `redrive()`. */
export function checkRedriveChoice(owner: string, choice: RedriveChoice): void {
  refuseUnknown(owner, choice, redriveNames)
  checkLook(owner, choice)
  const { to = 'origin', canary, stopWhenDead } = choice
  if (typeof to === 'string') refuseChoice(`to of ${owner}`, to, ['origin', 'retry', 'exchange'])
  else refuseUnknown('to', to, { queue: true })
  refuseChoice(`attempts of ${owner}`, choice.attempts, ['reset', 'continue'])
  if (stopWhenDead !== undefined) refuseUnknown('stopWhenDead', stopWhenDead, { messages: true, share: true })
  if (canary !== undefined) refuseUnknown('canary', canary, canaryNames)
  refuseText(`reason of ${owner}`, choice.reason)
  refuseNumber(`limit of ${owner}`, choice.limit)
  refuseNumber(`ratePerSecond of ${owner}`, choice.ratePerSecond)
  refuseNumber(`stopWhenTargetAbove of ${owner}`, choice.stopWhenTargetAbove)
  refuseNumber(`waitMs of ${owner}`, choice.waitMs)
  refuseNumber('messages of canary', canary?.messages)
  refuseNumber('waitMs of canary', canary?.waitMs)
}

/** The queue of `deadLetters()`. */
export function checkQueueName(queue: unknown): void {
  if (typeof queue === 'string' && queue !== '') return
  throw new InvalidArgumentError(
    `deadLetters() takes the name of a queue, and got ${queue === '' ? "''" : String(queue)}.`,
  )
}

function checkLook(owner: string, { where, by, maxHoldMs }: LookChoice): void {
  if (where !== undefined && typeof where !== 'string') {
    throw new InvalidArgumentError(
      `where of ${owner} must be a filter as text, such as 'type:OrderPlaced and died<2h'. Leave it out to mean all.`,
    )
  }
  refuseText(`by of ${owner}`, by)
  refuseNumber(`maxHoldMs of ${owner}`, maxHoldMs)
}

function refuseText(what: string, value: unknown): void {
  if (value === undefined || typeof value === 'string') return
  throw new InvalidArgumentError(`${what} is ${String(value)}; it must be text.`)
}
