import type { Session } from '../../broker/amqp/session.ts'
import type { WarrenError } from '../../errors.ts'
import { ownSleep } from '../../own-timer.ts'
import type { Publisher } from '../../publisher/publisher.ts'
import { performance } from '../../world.ts'
import { confirmDepth } from '../look/confirm-depth.ts'
import { type LookPermission, type LookRules, prepareLook } from '../look/prepare-look.ts'
import { countConsumers, depthOf, settledDepth } from '../look/settled-depth.ts'
import type { RedriveOptions } from './redrive-options.ts'
import { prepareRules, type RedriveRules } from './redrive-rules.ts'

export interface CountedQueue {
  readonly depth: number
  readonly otherConsumers: number
}

/** Counts the queue, reads the broker, and settles what the run goes by. */
export async function prepareFirst(
  options: RedriveOptions,
  run: { readonly id: string; readonly atMs: number; readonly publisher: Publisher },
): Promise<CountedQueue & { readonly rules: RedriveRules }> {
  const { consuming: session, queue } = options
  const { publisher } = run
  const depth = await depthAtStart(session, queue)
  const otherConsumers = await countConsumers(session, queue)
  const rules = await prepareRules(options, run)
  const sure = depth || (await confirmDepth({ session, publisher, queue, rules: rules.look }))
  return { rules, depth: sure, otherConsumers }
}

const askEveryMs = 15
const longestGoodbyeMs = 3_000

export interface ReturnQuestion {
  readonly session: Session
  readonly queue: string
  readonly otherConsumers: number
  /** The queue should hold this many, if nobody else takes messages. */
  readonly atLeast: number
}

/**
 * Ready messages once all that a lost channel held is back. A queue takes back all that a consumer held at the moment
 * when it strikes the consumer off, so that is waited for.
 */
export async function depthWhenBack(question: ReturnQuestion): Promise<number> {
  const { session, queue, otherConsumers, atLeast } = question
  const giveUpAt = performance.now() + longestGoodbyeMs
  while ((await countConsumers(session, queue)) > otherConsumers && performance.now() < giveUpAt)
    await ownSleep(askEveryMs)
  return settledDepth(session, queue, { atLeast: otherConsumers > 0 ? 0 : atLeast })
}

const longestStartMs = 2_000
const startReadsApartMs = 20

/**
 * Ready messages at the start. A process that was just killed has messages that are coming back, and those were there
 * before: a depth that grows is waited for, for a while.
 */
async function depthAtStart(session: Session, queue: string): Promise<number> {
  const giveUpAt = performance.now() + longestStartMs
  let depth = await depthOf(session, queue)
  for (let unchanged = 0; unchanged < 2 && performance.now() < giveUpAt; ) {
    await ownSleep(startReadsApartMs)
    const next = await depthOf(session, queue)
    unchanged = next === depth ? unchanged + 1 : 0
    depth = next
  }
  return depth
}

const longestReadMs = 10_000
const readAgainMs = 250

/**
 * The rules of the queue once more, after a lost connection: somebody may have given it a limit in the meantime. A
 * broker that has just started knows its queues only after a while.
 */
export async function readLookAgain(
  permission: LookPermission,
  { before, patience }: { readonly before: LookRules; readonly patience: AbortSignal },
): Promise<LookRules> {
  const giveUpAt = performance.now() + longestReadMs
  for (;;) {
    try {
      // What is in the over-limit queue stays counted.
      return { ...(await prepareLook(permission)), overLimitQueue: before.overLimitQueue }
    } catch (error) {
      const isEarly = early.has((error as WarrenError).code)
      if (!isEarly || patience.aborted || performance.now() >= giveUpAt) throw error
      await ownSleep(readAgainMs)
    }
  }
}

const early = new Set(['RECOVERY_LOOK_REFUSED', 'RECOVERY_QUEUE_NOT_FOUND', 'MANAGEMENT_UNREACHABLE'])
