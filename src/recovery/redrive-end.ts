import { setTimeout as sleep } from 'node:timers/promises'
import { RecoveryError } from '../errors.ts'
import { isLineLost, isQueueUnreachable } from './is-line-lost.ts'
import { isQueueGone } from './is-queue-gone.ts'
import type { Receipt, RedriveOutcome } from './receipt.ts'
import { countAtEnd, type EndCount } from './redrive-count.ts'
import type { RedriveCourse } from './redrive-course.ts'
import type { Retaken } from './redrive-lock.ts'
import { writeReceipt } from './redrive-receipt.ts'
import type { RedriveTools } from './redrive-tools.ts'

const retryMs = 250
/** Who has lost patience tries so often to count on a line that breaks. */
const mostLateTries = 4
const nothingThere: EndCount = { depth: 0, otherConsumers: 0, unproved: 0 }

/** What the last pass came to. */
export interface Walked {
  /** Later arrivals that were sent ahead and given back. */
  readonly extras: number
  /** It has handed out all that should be in the queue. */
  readonly isAllSeen: boolean
}

/** The end of a run: the queue is counted, and the receipt written. */
export class RedriveEnd {
  readonly #course: RedriveCourse
  readonly #tools: RedriveTools
  readonly #walked: Walked
  #unproved = 0
  #lateTries = 0
  /** A count was tried in vain. */
  #isLost = false
  /** The receipt is written. */
  #isOver = false

  constructor(course: RedriveCourse, { tools, walked }: { tools: RedriveTools; walked: Walked }) {
    this.#course = course
    this.#tools = tools
    this.#walked = walked
  }

  /** Counts the queue before it says "done": an ack can be lost behind the close of its channel, or with a node. */
  async count(ended: RedriveOutcome): Promise<Receipt> {
    const course = this.#course
    for (let outcome = ended; ; ) {
      try {
        const hold = this.#isGivenUp(outcome) ? 'locked' : await this.#makeSure()
        if (hold === 'locked') outcome = course.stopped ?? course.interrupt(course.interruption ?? 'locked')
        const count = hold === 'away' ? hold : await course.unlessAway(this.#countOnce(hold === 'held'))
        return count === 'away' ? this.#writeUncounted(outcome) : this.#write(outcome, count)
      } catch (error) {
        if (isQueueGone(error)) {
          this.#countUncounted()
          return this.#write(course.interrupt('queue-deleted'), nothingThere)
        }
        const isUnled = error instanceof RecoveryError && error.code === 'RECOVERY_NO_LEADER'
        if (!isLineLost(error) && !isUnled) return this.#write(course.endWith(error), undefined)
        const isOver = course.stopped !== undefined || outcome === 'interrupted'
        const isDown = isUnled || isQueueUnreachable(error)
        // No other connection follows a session that is closed, and nobody waits for a node any more.
        if (course.options.consuming.state === 'closed') return this.#writeUncounted(outcome)
        if ((isDown && isOver) || this.#isTriedTooOften()) return this.#writeUncounted(outcome)
        course.recent.lineLost()
        this.#isLost = true
        course.wait.begin('queue')
        await sleep(retryMs)
      }
    }
  }

  /** The queue is somebody else's or gone, or was waited for too long already. */
  #isGivenUp(outcome: RedriveOutcome): boolean {
    const { interruption } = this.#course
    // Whoever made no progress on a line that breaks would only count more returns.
    const isOurs = interruption === 'node-lost' || interruption === 'failed'
    return outcome === 'interrupted' && !isOurs
  }

  /** Whether the queue is still ours. To take the lock again may take as long as there is patience. */
  async #makeSure(): Promise<Retaken> {
    const { lock, wait } = this.#course
    if (!lock.isHeld) wait.begin('queue')
    const hold = await lock.isSure()
    if (!this.#isLost) wait.end('queue')
    return hold
  }

  #isTriedTooOften(): boolean {
    if (this.#course.patience.aborted) this.#lateTries += 1
    return this.#lateTries >= mostLateTries
  }

  /** Nobody is told that it is done who gave up before it could be counted. */
  #writeUncounted(outcome: RedriveOutcome): Receipt {
    return this.#write(outcome === 'done' ? (this.#course.stopped ?? 'cancelled') : outcome, undefined)
  }

  /** What was confirmed and could not be acknowledged does not come back from a queue that is gone: it was moved. */
  #countUncounted(): void {
    const { recent, tally } = this.#course
    for (const { to, cause, mayBeDuplicate } of recent.takeUncounted()) {
      tally.countMove(to, cause!)
      if (!mayBeDuplicate) tally.duplicatesPossible -= 1
    }
  }

  async #countOnce(isOurs: boolean): Promise<EndCount> {
    const course = this.#course
    const { rules, publisher } = this.#tools
    const { consuming: session, queue } = course.options
    await sleep(course.lock.returnsInMs)
    const count = await countAtEnd({
      ...{ session, queue, rules, publisher, tally: course.tally, recent: course.recent },
      signal: course.patience,
      ...{ window: course.window.messages, ...this.#walked },
      expected: course.expected(rules.aside),
      mayClear: () => isOurs && !this.#isOver,
    })
    course.otherConsumers = Math.max(course.otherConsumers, count.otherConsumers)
    this.#unproved += count.unproved
    course.tally.duplicatesPossible += count.unproved
    return count
  }

  #write(outcome: RedriveOutcome, count: EndCount | undefined): Receipt {
    const { rules, watch } = this.#tools
    const { id, options, tally, present, otherConsumers, interruption, startedAtMs, digest, problem } =
      this.#course
    this.#isOver = true
    return writeReceipt({
      ...{ id, options, outcome, tally, present, otherConsumers, interruption, startedAtMs },
      ...{ depth: count?.depth, unproved: this.#unproved, movedAside: rules.aside.count },
      ...{ endedAtMs: Date.now(), elapsedMs: this.#course.elapsedMs },
      ...{ cameBack: watch.cameBack, areRoutesProved: rules.areRoutesProved },
      digest: digest.text(),
      refusals: [...rules.refusals(), ...tally.problems, ...(problem === undefined ? [] : [problem])],
    })
  }
}
