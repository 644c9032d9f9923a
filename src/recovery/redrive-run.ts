import { RecoveryError } from '../errors.ts'
import { Publisher } from '../publisher/publisher.ts'
import { isLineLost } from './is-line-lost.ts'
import { isQueueGone } from './is-queue-gone.ts'
import type { Receipt, RedriveOutcome } from './receipt.ts'
import type { RedriveOptions, RedriveProgress } from './redrive.ts'
import { RedriveCourse } from './redrive-course.ts'
import { RedriveEnd } from './redrive-end.ts'
import { RedrivePasses } from './redrive-passes.ts'
import { progressOf } from './redrive-progress.ts'
import { lookForDead, prepareTools, type RedriveTools } from './redrive-tools.ts'

/** One re-drive from the lock to the receipt, over as many passes and connections as it takes. */
export class RedriveRun {
  readonly #course: RedriveCourse

  constructor(options: RedriveOptions, id: string) {
    this.#course = new RedriveCourse(options, id)
  }

  pause(): void {
    this.#course.pace.pause()
  }

  resume(): void {
    this.#course.wait.restart()
    this.#course.pace.resume()
  }

  cancel(): void {
    this.#course.stop('cancelled')
    this.#course.pace.resume()
  }

  get progress(): RedriveProgress {
    return progressOf(this.#course)
  }

  async run(): Promise<Receipt> {
    const course = this.#course
    try {
      if ((await course.unlessAway(course.lock.take())) === 'away') {
        void course.lock.release() // should it be taken yet
        throw nothingBegun(course.options.queue)
      }
      return await this.#runLocked()
    } finally {
      course.end()
    }
  }

  async #runLocked(): Promise<Receipt> {
    const course = this.#course
    const { lock, options, window } = course
    // A confirm that got lost with its connection is asked for again; the copy has the same id.
    const { answerMs: deadlineMs } = options
    const publisher = new Publisher(options.publishing, {
      ...{ window, resend: true },
      ...(deadlineMs !== undefined && { deadlineMs }),
    })
    try {
      const tools = await course.unlessAway(prepareTools(course, publisher))
      if (tools === 'away') throw nothingBegun(options.queue)
      const passes = new RedrivePasses(course, tools)
      const outcome = await this.#move(passes, tools)
      const end = new RedriveEnd(course, { tools, walked: passes.walked })
      return await end.count(outcome)
    } finally {
      const isClosed = publisher.close()
      await Promise.all([course.tally.isAbandoned || isClosed, lock.release()])
    }
  }

  async #move(passes: RedrivePasses, tools: RedriveTools): Promise<RedriveOutcome> {
    try {
      const outcome = await passes.run().finally(() => tools.depths?.stop())
      return (await this.#isLastStageDead(tools, outcome)) ? 'came-back-dead' : outcome
    } catch (error) {
      return this.#course.endWith(error)
    }
  }

  /** The last stage is looked at as well, when a canary was asked for. */
  async #isLastStageDead({ watch }: RedriveTools, outcome: RedriveOutcome): Promise<boolean> {
    if (outcome !== 'done' || !this.#course.options.canary) return false
    try {
      const look = lookForDead(this.#course, { watch, isStageEnd: true })
      return (await this.#course.unlessAway(look)) === 'stop'
    } catch (error) {
      if (!isLineLost(error) && !isQueueGone(error)) throw error
      return false // the count finds out
    }
  }
}

function nothingBegun(queue: string): RecoveryError {
  return new RecoveryError({
    code: 'RECOVERY_INTERRUPTED',
    message: `The broker was away when the re-drive of "${queue}" was ended, before it began. Nothing was moved.`,
  })
}
