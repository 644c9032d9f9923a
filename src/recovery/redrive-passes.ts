import { setTimeout as sleep } from 'node:timers/promises'
import type { AmqpChannel } from '../broker/amqp/channel.ts'
import { pause } from '../broker/amqp/pause.ts'
import { closeSettled, depthOf } from './count-queue.ts'
import { createPass, halve } from './create-pass.ts'
import {
  countLoss,
  decideNextPass,
  isLostTooOften,
  type NextPass,
  noLosses,
  type PassFacts,
} from './decide-next-pass.ts'
import { isLineLost } from './is-line-lost.ts'
import { isQueueGone } from './is-queue-gone.ts'
import type { RedriveOutcome } from './receipt.ts'
import { countSurplus } from './redrive-count.ts'
import type { RedriveCourse } from './redrive-course.ts'
import type { Walked } from './redrive-end.ts'
import { RedriveRefusals } from './redrive-refusals.ts'
import type { RedriveTools } from './redrive-tools.ts'
import type { WalkEnd } from './walk-queue.ts'

const askEveryMs = 250
const askSendableEveryMs = 50
/** The pause between lost passes grows by this each time, up to the longest. */
const pauseStepMs = 100
const longestPauseMs = 2_000

interface PassEnd {
  /** `gone`: the queue was deleted. */
  readonly end: WalkEnd | 'gone'
  /** What waited for its turn was given back. */
  readonly isHeldUp: boolean
}

/** Passes follow each other until all is seen: after a lost line, refusals, or a hold that took too long. */
export class RedrivePasses {
  readonly #course: RedriveCourse
  readonly #tools: RedriveTools
  readonly #refusals = new RedriveRefusals()
  #passes = 0
  #idlePasses = 0
  #lostPasses = 0
  #losses = noLosses
  /** The most that this pass holds at a time. */
  #held = 0
  #hasTaken = false
  #isOneByOne = false
  #lineWaitsBefore = 0
  #extras = 0
  /** Moved aside by earlier passes: this one does not see them. */
  #asideBefore = 0

  constructor(course: RedriveCourse, tools: RedriveTools) {
    this.#course = course
    this.#tools = tools
  }

  get walked(): Walked {
    return { extras: this.#extras, isAllSeen: this.#unseen <= 0 }
  }

  /** Of those counted at the start: neither moved nor seen and left. */
  get #unseen(): number {
    const { present, tally } = this.#course
    return present - tally.moved - tally.keptCount - tally.failedCount - this.#asideBefore
  }

  async run(): Promise<RedriveOutcome> {
    const course = this.#course
    for (;;) {
      await this.#whenFree()
      if (course.stopped) return course.stopped
      const movedBefore = course.tally.moved
      const { end, isHeldUp } = await this.#runPass()
      if (end === 'gone') return course.interrupt('queue-deleted')
      if (end === 'lost') {
        const ended = await this.#retake(course.tally.moved - movedBefore)
        if (ended) return ended
        continue
      }
      this.#lostPasses = 0
      this.#losses = noLosses
      course.wait.end('queue')
      if (course.stopped) return course.stopped
      const next = this.#decideNext({ end, isHeldUp, moved: course.tally.moved - movedBefore })
      if (next.kind === 'end')
        return next.outcome === 'interrupted' ? course.interrupt(next.interruption) : next.outcome
      if (next.kind === 'again-when-returned') await this.#awaitReturned()
      else if (next.kind === 'again-when-led') await this.#changeChannel()
      else if (next.kind === 'again-one-by-one') this.#isOneByOne = true
    }
  }

  /** Makes ready for another pass after a lost one; gives back why there is none. */
  async #retake(moved: number): Promise<RedriveOutcome | undefined> {
    const course = this.#course
    const { lock, options } = course
    course.recent.lineLost()
    if (moved > 0) course.wait.end('queue')
    course.wait.begin('queue')
    this.#lostPasses = moved > 0 ? 0 : this.#lostPasses + 1
    this.#losses = countLoss(this.#losses, { moved, hasTaken: this.#hasTaken, held: this.#held })
    const retaken = await lock.retake()
    // Whoever closes the session wants no more, and no other connection follows.
    if (options.consuming.state === 'closed') return course.stopped ?? 'cancelled'
    if (retaken !== 'held') return course.stopped ?? course.interrupt('locked')
    const { returnLimit } = this.#tools.rules
    if (this.#hasTaken && isLostTooOften({ losses: this.#losses.count, returnLimit }))
      return course.stopped ?? course.interrupt('no-progress')
    await pause(Math.min(this.#lostPasses * pauseStepMs, longestPauseMs), course.patience)
    return undefined
  }

  /** Nothing is taken from the queue that would only wait there. */
  async #whenFree(): Promise<void> {
    const { pace, wait } = this.#course
    const { stages } = this.#tools
    // Meanwhile nothing is wanted of the queue.
    if (pace.isPaused || stages?.isLooking || this.#isUnsendable) wait.end('queue')
    do {
      await pace.whenRunning()
      if (stages) await this.#course.unlessAway(stages.whenOpen())
      await this.#whenSendable()
    } while (pace.isPaused)
  }

  /** There is something to send, and no line to send it on. */
  get #isUnsendable(): boolean {
    const { tally, wait, stopped } = this.#course
    const { rules } = this.#tools
    const isMoreWanted = tally.moved < rules.limit && this.#course.expected(rules.aside) > 0
    return isMoreWanted && !wait.isSendable && stopped === undefined
  }

  /** A pass that cannot send would take messages only to give them back, which counts where there is a limit. */
  async #whenSendable(): Promise<void> {
    while (this.#isUnsendable) await pause(askSendableEveryMs, this.#course.patience)
  }

  async #runPass(): Promise<PassEnd> {
    const course = this.#course
    const { consuming, queue } = course.options
    if (course.tally.moved >= this.#tools.rules.limit) return { end: 'all-seen', isHeldUp: false }
    this.#startCounts()
    let channel: AmqpChannel | undefined
    let probe: AmqpChannel | 'away' | undefined
    let endWatch = (): void => {}
    try {
      const surplus = await course.unlessAway(this.#countSurplus())
      const opening = consuming.openChannel()
      probe = await course.unlessAway(opening)
      if (probe === 'away') void opening.then((late) => late.close()).catch(() => {}) // it may open yet
      if (surplus === 'away' || probe === 'away') return { end: 'lost', isHeldUp: false }
      channel = await consuming.openChannel()
      const pass = createPass({
        ...{ course, tools: this.#tools, refusals: this.#refusals, channel, surplus },
        ...{ isOneByOne: this.#isOneByOne, losses: this.#losses.count },
        onFirst: () => this.#countTaken(),
      })
      endWatch = this.#watch({ channel, probe })
      course.pass = pass
      if (course.stopped) pass.cancel()
      const end = await pass.run()
      this.#extras = pass.extraCount
      await closeSettled(channel, queue)
      return { end, isHeldUp: pass.isHeldUp }
    } catch (error) {
      await channel?.close() // what it holds goes back
      if (isQueueGone(error)) return { end: 'gone', isHeldUp: false }
      if (!isLineLost(error)) throw error
      return { end: 'lost', isHeldUp: false }
    } finally {
      endWatch()
      course.pass = undefined
      if (probe !== 'away') await probe?.close()
    }
  }

  /** The queue is there, however long it takes to move the first message. */
  #countTaken(): void {
    this.#hasTaken = true
    this.#course.wait.end('queue')
  }

  #startCounts(): void {
    const { options, tally, recent } = this.#course
    const { rules } = this.#tools
    if (this.#passes > 0) options.onAgain?.()
    this.#passes += 1
    this.#hasTaken = false
    this.#held = this.#mostHeld()
    this.#asideBefore = rules.aside.count
    this.#lineWaitsBefore = this.#course.wait.lineWaits
    tally.startPass()
    this.#refusals.startPass()
    rules.startPass(tally.moved + recent.provedCount)
  }

  #mostHeld(): number {
    const { window } = this.#course
    const { rules } = this.#tools
    const ahead = halve(Math.min(window.messages, rules.limit), this.#losses.count)
    return Math.min(ahead, this.#course.expected(rules.aside))
  }

  #watch(channels: { channel: AmqpChannel; probe: AmqpChannel }): () => void {
    const { watch, stages } = this.#tools
    return watch.observe({ ...channels, onSuspicion: () => stages?.hold() })
  }

  /** No more than this can have been moved and come again. */
  async #countSurplus(): Promise<number> {
    const { options, tally, lock, recent, otherConsumers } = this.#course
    const { consuming: session, queue } = options
    const expected = this.#course.expected(this.#tools.rules.aside)
    if (recent.size === 0 || expected === 0) return 0
    const hasIds = !tally.hasUnnamed
    // Where a count says nothing, messages that say who they are need not wait for one.
    if (hasIds && (lock.returnsInMs > 0 || otherConsumers > 0)) return recent.size
    await sleep(lock.returnsInMs)
    const surplus = await countSurplus({ session, queue, expected, otherConsumers })
    return surplus < 0 && hasIds ? recent.size : Math.max(0, surplus)
  }

  #decideNext({ moved, ...facts }: Pick<PassFacts, 'end' | 'isHeldUp' | 'moved'>): NextPass {
    const { tally, pace, lock, wait } = this.#course
    this.#idlePasses = moved > 0 ? 0 : this.#idlePasses + 1
    return decideNextPass({
      ...{ ...facts, moved, idlePasses: this.#idlePasses, isPaused: pace.isPaused },
      isLimitReached: tally.moved >= this.#tools.rules.limit,
      unseen: this.#unseen,
      hasLostNode: lock.hasLostNode,
      returnsInMs: lock.returnsInMs,
      isRefusalRetriable: this.#refusals.isRetriable,
      refusalRetries: this.#refusals.retries,
      isUnanswered: tally.failed.has('unanswered') && wait.lineWaits > this.#lineWaitsBefore,
      hasClosedChannel: this.#refusals.closures > 0,
      isOneByOne: this.#isOneByOne,
    })
  }

  /** Until there is more in the queue than was left there, or nothing is to be expected any more. */
  async #awaitReturned(): Promise<void> {
    const { options, tally, lock } = this.#course
    const aside = this.#tools.rules.aside.count - this.#asideBefore
    const left = tally.keptCount + tally.failedCount - aside
    try {
      while (!this.#course.stopped && lock.returnsInMs > 0) {
        const depth = await this.#course.unlessAway(depthOf(options.consuming, options.queue))
        if (depth === 'away' || depth > left) return
        await sleep(Math.min(askEveryMs, lock.returnsInMs))
      }
    } catch (error) {
      if (!isLineLost(error) && !isQueueGone(error)) throw error // else the next pass notices
    }
  }

  async #changeChannel(): Promise<void> {
    await this.#refusals.retry(this.#course.options.publishing)
    await this.#tools.publisher.renew()
  }
}
