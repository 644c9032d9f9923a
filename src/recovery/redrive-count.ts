import { setTimeout as sleep } from 'node:timers/promises'
import type { Session } from '../broker/amqp/session.ts'
import { clearLeftovers } from './clear-leftovers.ts'
import { confirmDepth, type EmptyQuestion } from './confirm-depth.ts'
import { countConsumers, settledDepth } from './count-queue.ts'
import type { RecentMoves } from './recent-moves.ts'
import type { RedriveRules } from './redrive-rules.ts'
import type { RedriveTally } from './redrive-tally.ts'

export interface SurplusQuestion {
  readonly session: Session
  readonly queue: string
  /** What the queue should hold. */
  readonly expected: number
  readonly otherConsumers: number
}

const askEveryMs = 15
const longestGoodbyeMs = 3_000

/**
 * How many more messages a queue holds than it should: what was moved and came again, and what has arrived. Below
 * zero: others took some, or hold them. A queue takes back all that a consumer held at the moment when it strikes the
 * consumer off, so that is waited for.
 */
export async function countSurplus(question: SurplusQuestion): Promise<number> {
  const { session, queue, expected, otherConsumers } = question
  const giveUpAt = performance.now() + longestGoodbyeMs
  while ((await countConsumers(session, queue)) > otherConsumers && performance.now() < giveUpAt)
    await sleep(askEveryMs)
  return (await settledDepth(session, queue, expected)) - expected
}

export interface EndQuestion extends EmptyQuestion {
  readonly rules: RedriveRules
  readonly tally: RedriveTally
  readonly recent: RecentMoves
  readonly window: number
  /** What the queue should hold. */
  readonly expected: number
  /** Later arrivals that were sent ahead and given back. */
  readonly extras: number
  /** The last pass has handed out all that should be in the queue. */
  readonly isAllSeen: boolean
  /** Whether the queue is still ours, so that what was moved may be taken out of it. */
  readonly mayClear: () => boolean
}

export interface EndCount {
  /** Ready messages. */
  readonly depth: number
  readonly otherConsumers: number
  /** Of these, look like messages that were moved, and may as well be others that are alike. */
  readonly unproved: number
}

/** Counts the queue of a re-drive that is over, and takes out what was moved and is still there. */
export async function countAtEnd(question: EndQuestion): Promise<EndCount> {
  const { session, queue, tally, recent, window, expected, extras } = question
  const depth = await sureSettledDepth(question, expected + extras)
  const otherConsumers = await countConsumers(session, queue)
  if (!question.mayClear() || depth <= expected || recent.size === 0)
    return { depth, otherConsumers, unproved: 0 }
  const left = tally.keptCount + tally.failedCount
  const { cleared, unproved } = await clearLeftovers({
    ...{ ...question, recent, window },
    count: Math.min(depth, left + recent.size),
    surplus: depth - expected,
  })
  return { depth: await sureSettledDepth(question, depth - cleared), otherConsumers, unproved }
}

async function sureSettledDepth(question: EmptyQuestion, atLeast: number): Promise<number> {
  for (;;) {
    const depth = await settledDepth(question.session, question.queue, atLeast)
    if (depth > 0 || (await confirmDepth(question)) === 0) return depth
  }
}
