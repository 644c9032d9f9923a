import { setTimeout as sleep } from 'node:timers/promises'
import type { AmqpChannel } from '../broker/amqp/channel.ts'
import { RecoveryError } from '../errors.ts'
import { Publisher } from '../publisher/publisher.ts'
import { clearLeftovers } from './clear-leftovers.ts'
import { confirmDepth, type EmptyQuestion } from './confirm-depth.ts'
import { closeSettled, depthOf, settledDepth } from './count-queue.ts'
import { decideNextPass, type NextPass } from './decide-next-pass.ts'
import { createSetDigest, type SetDigest } from './digest-message.ts'
import { isLineLost } from './is-line-lost.ts'
import { createMoveHistory, type MoveHistory } from './move-history.ts'
import { Pace } from './pace.ts'
import type { Receipt, RedriveOutcome } from './receipt.ts'
import type { RedriveOptions, RedriveProgress } from './redrive.ts'
import { countConsumers } from './redrive-count.ts'
import { DepthGate } from './redrive-gate.ts'
import { RedriveLock } from './redrive-lock.ts'
import { type PublishStep, RedrivePass } from './redrive-pass.ts'
import { writeReceipt } from './redrive-receipt.ts'
import { RedriveRefusals } from './redrive-refusals.ts'
import { prepareRules, type RedriveRules } from './redrive-rules.ts'
import { StageGate } from './redrive-stages.ts'
import { RedriveTally } from './redrive-tally.ts'
import { RedriveWatch } from './redrive-watch.ts'
import type { WalkEnd } from './walk-queue.ts'

/** Messages under way at a time. With 2000 a prototype was half as fast on 4.0.5 as with 250 to 600. */
const defaultWindow = { messages: 400, bytes: 16 * 1024 * 1024 }
const defaultCanaryWaitMs = 10_000
const askEveryMs = 250

/** What stays the same over all passes of a run. */
interface RunTools {
  readonly rules: RedriveRules
  readonly publisher: Publisher
  readonly watch: RedriveWatch
  readonly stages: StageGate | undefined
  readonly depths: DepthGate | undefined
}

/** One re-drive from the lock to the receipt, over as many passes and connections as it takes. */
export class RedriveRun {
  readonly #options: RedriveOptions
  readonly #id: string
  readonly #window: { messages: number; bytes: number }
  readonly #tally = new RedriveTally()
  readonly #recent: MoveHistory
  readonly #digest: SetDigest = createSetDigest()
  readonly #pace: Pace
  readonly #startedAt = Date.now()
  readonly #lock: RedriveLock
  readonly #refusals = new RedriveRefusals()
  #pass: RedrivePass | undefined
  #present = 0
  #otherConsumers = 0
  /** Later arrivals that were sent ahead and given back. */
  #extras = 0
  #isWatching = false
  #passes = 0
  #idlePasses = 0
  #stopped: RedriveOutcome | undefined

  constructor(options: RedriveOptions, id: string) {
    this.#options = options
    this.#id = id
    this.#window = { ...defaultWindow, ...options.window }
    this.#recent = createMoveHistory(this.#window.messages * 2)
    this.#lock = new RedriveLock({ id, options })
    this.#pace = new Pace(options.ratePerSecond, () => this.#pass?.pump())
  }

  pause(): void {
    this.#pace.pause()
  }

  resume(): void {
    this.#pace.resume()
  }

  cancel(): void {
    this.#stop('cancelled')
    this.#pace.resume()
  }

  get progress(): RedriveProgress {
    const { moved, failedCount: failed, keptCount: kept } = this.#tally
    const state = this.#pace.isPaused ? 'paused' : this.#isWatching ? 'watching' : 'moving'
    return { state, present: this.#present, moved, failed, kept }
  }

  async run(): Promise<Receipt> {
    const { publishing } = this.#options
    await this.#lock.take()
    // A confirm that got lost with its connection is asked for again; the copy has the same id.
    const publisher = new Publisher(publishing, { window: this.#window, resend: true })
    try {
      const tools = await this.#prepare(publisher)
      const outcome = await this.#runPasses(tools)
      tools.depths?.stop()
      return await this.#count(
        tools,
        (await this.#isLastStageDead(tools, outcome)) ? 'came-back-dead' : outcome,
      )
    } finally {
      this.#pace.stop()
      await Promise.all([publisher.close(), this.#lock.release()])
    }
  }

  async #prepare(publisher: Publisher): Promise<RunTools> {
    const { consuming, queue, stopWhenDead, canary } = this.#options
    const depth = await depthOf(consuming, queue)
    this.#otherConsumers = await countConsumers(consuming, queue)
    const rules = await prepareRules(this.#options, { id: this.#id, atMs: this.#startedAt })
    this.#present = depth || (await confirmDepth({ session: consuming, publisher, queue, rules }))
    const watch = new RedriveWatch({
      ...{ session: consuming, publisher, queue, rules, canary, deadLimit: stopWhenDead },
      ...{ redriveId: this.#id, tally: this.#tally, present: this.#present },
    })
    return { rules, publisher, watch, stages: this.#openStages(watch), depths: this.#openDepths() }
  }

  #openStages(watch: RedriveWatch): StageGate | undefined {
    if (!watch.isOn) return undefined
    return new StageGate({
      canary: this.#options.canary,
      check: (isStageEnd) => this.#look(watch, isStageEnd),
      onRoom: () => this.#pass?.pump(),
      onStop: () => this.#stop('came-back-dead'),
      onError: (error) => this.#pass?.fail(error),
    })
  }

  /** Do messages that were moved come back? */
  async #look(watch: RedriveWatch, isStageEnd: boolean): Promise<'go-on' | 'stop'> {
    const { waitMs = defaultCanaryWaitMs } = this.#options.canary ?? {}
    this.#isWatching = true
    try {
      if (isStageEnd) await watch.wait(waitMs, () => this.#stopped !== undefined)
      return this.#stopped ? 'go-on' : await watch.judge()
    } finally {
      this.#isWatching = false
    }
  }

  #openDepths(): DepthGate | undefined {
    const { stopWhenTargetAbove: limit, publishing } = this.#options
    if (limit === undefined) return undefined
    return new DepthGate({
      ...{ session: publishing, limit },
      onRoom: () => this.#pass?.pump(),
      onFull: () => this.#stop('target-too-deep'),
    })
  }

  /** The last stage is looked at as well, when a canary was asked for. */
  async #isLastStageDead({ watch }: RunTools, outcome: RedriveOutcome): Promise<boolean> {
    if (outcome !== 'done' || !this.#options.canary) return false
    try {
      return (await this.#look(watch, true)) === 'stop'
    } catch (error) {
      if (!isLineLost(error)) throw error
      return false // the line is taken up again by the count
    }
  }

  /** Passes follow each other until all is seen: after a lost line, refusals, or a hold that took too long. */
  async #runPasses(tools: RunTools): Promise<RedriveOutcome> {
    for (;;) {
      await this.#pace.whenRunning()
      if (this.#stopped) return this.#stopped
      const movedBefore = this.#tally.moved
      const end = await this.#runPass(tools)
      if (end === 'lost') {
        if (!(await this.#goOnAfterLoss())) return 'interrupted'
        continue
      }
      if (this.#stopped) return this.#stopped
      const next = this.#decideNext(tools, end, this.#tally.moved - movedBefore)
      if (next.kind === 'end') return next.outcome
      if (next.kind === 'again-when-returned') await this.#awaitReturned()
      else if (next.kind === 'again-when-led') await this.#changeChannel(tools)
    }
  }

  #decideNext({ rules }: RunTools, end: Exclude<WalkEnd, 'lost'>, moved: number): NextPass {
    const { keptCount, failedCount } = this.#tally
    this.#idlePasses = moved > 0 ? 0 : this.#idlePasses + 1
    return decideNextPass({
      ...{ end, moved, idlePasses: this.#idlePasses, isPaused: this.#pace.isPaused },
      isLimitReached: this.#tally.moved >= rules.limit,
      unseen: this.#present - this.#tally.moved - keptCount - failedCount,
      hasLostNode: this.#lock.hasLostNode,
      returnsInMs: this.#lock.returnsInMs,
      isRefusalRetriable: this.#refusals.isRetriable,
      refusalRetries: this.#refusals.retries,
    })
  }

  /** False when somebody else has the queue now. */
  #goOnAfterLoss(): Promise<boolean> {
    this.#recent.lineLost()
    return this.#lock.retake()
  }

  /** Until there is more in the queue than was left there, or nothing is to be expected any more. */
  async #awaitReturned(): Promise<void> {
    const { consuming, queue } = this.#options
    const left = this.#tally.keptCount + this.#tally.failedCount
    try {
      while (!this.#stopped && this.#lock.returnsInMs > 0 && (await depthOf(consuming, queue)) <= left) {
        await pause(Math.min(askEveryMs, this.#lock.returnsInMs))
      }
    } catch (error) {
      if (!isLineLost(error)) throw error // else the next pass notices
    }
  }

  async #changeChannel({ publisher }: RunTools): Promise<void> {
    await this.#refusals.retry(this.#options.publishing)
    await publisher.renew()
  }

  async #runPass(tools: RunTools): Promise<WalkEnd> {
    const { rules, watch, stages } = tools
    const { consuming, queue } = this.#options
    const tally = this.#tally
    if (tally.moved >= rules.limit) return 'all-seen'
    if (this.#passes > 0) this.#options.onAgain?.()
    this.#passes += 1
    tally.startPass()
    this.#refusals.startPass()
    rules.startPass(tally.moved)
    let channel: AmqpChannel | undefined
    let endWatch = (): void => {}
    try {
      channel = await consuming.openChannel()
      const probe = await consuming.openChannel()
      const pass = this.#createPass(tools, channel)
      endWatch = watch.observe({ channel, probe, onSuspicion: () => stages?.hold() })
      this.#pass = pass
      if (this.#stopped) pass.cancel()
      const end = await pass.run()
      this.#extras = pass.extraCount
      await closeSettled(channel, queue)
      await probe.close()
      return end
    } catch (error) {
      await channel?.close() // what it holds goes back
      if (!isLineLost(error)) throw error
      return 'lost'
    } finally {
      endWatch()
      this.#pass = undefined
    }
  }

  #createPass(tools: RunTools, channel: AmqpChannel): RedrivePass {
    const { rules, publisher, stages, depths } = tools
    const { queue, onKept, onFailed, onProgress } = this.#options
    return new RedrivePass({
      ...{ channel, publisher, queue, rules, tally: this.#tally },
      ...{ window: this.#window, recent: this.#recent, digest: this.#digest, pace: this.#pace },
      count: this.#present - this.#tally.moved,
      // Who asks for ten is not sent four hundred.
      prefetch: Math.min(this.#window.messages, rules.limit),
      maxHoldMs: rules.maxHoldMs,
      consumerTag: consumerTagOf(this.#id),
      onKept,
      onFailed: (message, failure) => {
        if (failure.kind === 'refused') this.#refusals.add(queuesOf(rules, failure))
        onFailed?.(message, failure)
      },
      onProgress: onProgress ? () => onProgress(this.progress) : () => {},
      gates: [
        ...(depths
          ? [
              {
                take: (step: PublishStep) => depths.take(queuesOf(rules, step)),
                settled: () => depths.settled(),
              },
            ]
          : []),
        ...(stages ? [stages] : []),
      ],
    })
  }

  #stop(outcome: RedriveOutcome): void {
    this.#stopped ??= outcome
    this.#pass?.cancel()
  }

  /** Counts the queue before it says "done": an ack can be lost behind the close of its channel, or with a node. */
  async #count(tools: RunTools, ended: RedriveOutcome): Promise<Receipt> {
    for (let outcome = ended; ; ) {
      try {
        if (outcome !== 'interrupted' && !(await this.#lock.isSure())) outcome = 'interrupted'
        await pause(this.#lock.returnsInMs)
        const depth = await this.#countOnce(tools, outcome !== 'interrupted')
        return this.#writeReceipt({ tools, outcome, depth })
      } catch (error) {
        const isAway = error instanceof RecoveryError && error.code === 'RECOVERY_NO_LEADER'
        if (!isLineLost(error) && !isAway) throw error
        this.#recent.lineLost()
      }
    }
  }

  async #countOnce({ rules, publisher }: RunTools, mayClear: boolean): Promise<number> {
    const { consuming, queue } = this.#options
    const tally = this.#tally
    const question = { session: consuming, queue, rules, publisher }
    const expected = this.#present - tally.moved
    const depth = await this.#settledDepth(question, expected + this.#extras)
    this.#otherConsumers = Math.max(this.#otherConsumers, await countConsumers(consuming, queue))
    if (!mayClear || depth <= expected || this.#recent.size === 0) return depth
    const { cleared, unproved } = await clearLeftovers({
      ...{ ...question, recent: this.#recent, window: this.#window.messages },
      count: Math.min(depth, tally.keptCount + tally.failedCount + this.#recent.size),
    })
    tally.duplicatesPossible += unproved
    return this.#settledDepth(question, depth - cleared)
  }

  async #settledDepth(question: EmptyQuestion, atLeast: number): Promise<number> {
    for (;;) {
      const depth = await settledDepth(question.session, question.queue, atLeast)
      if (depth > 0 || (await confirmDepth(question)) === 0) return depth
    }
  }

  #writeReceipt(fields: { tools: RunTools; outcome: RedriveOutcome; depth: number }): Receipt {
    const { tools, outcome, depth } = fields
    return writeReceipt({
      ...{ id: this.#id, options: this.#options, outcome, depth, tally: this.#tally, present: this.#present },
      startedAtMs: this.#startedAt,
      endedAtMs: Date.now(),
      otherConsumers: this.#otherConsumers,
      cameBack: tools.watch.cameBack,
      digest: this.#digest.text(),
      refusals: tools.rules.refusals(),
    })
  }
}

/** The first consumer of a re-drive has this tag, so that it can be found at the broker. */
export function consumerTagOf(redriveId: string): string {
  return `warren-redrive-${redriveId}`
}

function queuesOf(rules: RedriveRules, address: { exchange: string; key: string }): readonly string[] {
  const proof = rules.prove(address)
  if (proof?.isSafe) return proof.queues
  return address.exchange === '' ? [address.key] : []
}

function pause(ms: number): Promise<void> {
  return ms <= 0 ? Promise.resolve() : sleep(ms)
}
