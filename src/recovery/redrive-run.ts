import { setTimeout as sleep } from 'node:timers/promises'
import type { AmqpChannel } from '../broker/amqp/channel.ts'
import { RecoveryError } from '../errors.ts'
import { Publisher } from '../publisher/publisher.ts'
import { confirmDepth } from './confirm-depth.ts'
import { closeSettled, depthOf } from './count-queue.ts'
import { decideNextPass, type NextPass, type PassFacts } from './decide-next-pass.ts'
import { createSetDigest, type SetDigest } from './digest-message.ts'
import { isLineLost } from './is-line-lost.ts'
import { createMoveHistory, type MoveHistory } from './move-history.ts'
import { Pace } from './pace.ts'
import type { Interruption, Receipt, RedriveOutcome } from './receipt.ts'
import type { RedriveOptions, RedriveProgress } from './redrive.ts'
import { countAtEnd, countConsumers, countSurplus, type EndCount } from './redrive-count.ts'
import { DepthGate } from './redrive-gate.ts'
import { RedriveLock, type Retaken } from './redrive-lock.ts'
import { type PublishStep, RedrivePass } from './redrive-pass.ts'
import { unlessAway } from './redrive-patience.ts'
import { writeReceipt } from './redrive-receipt.ts'
import { RedriveRefusals } from './redrive-refusals.ts'
import { prepareRules, queuesOf, type RedriveRules } from './redrive-rules.ts'
import { StageGate } from './redrive-stages.ts'
import { RedriveTally } from './redrive-tally.ts'
import { RedriveWatch } from './redrive-watch.ts'
import type { WalkEnd } from './walk-queue.ts'

/** Messages under way at a time. With 2000 a prototype was half as fast on 4.0.5 as with 250 to 600. */
const defaultWindow = { messages: 400, bytes: 16 * 1024 * 1024 }
const defaultCanaryWaitMs = 10_000
const askEveryMs = 250
/** Who was told to stop waits so long for a broker that is away. */
const patienceMs = 2_000

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
  #unproved = 0
  #stopped: RedriveOutcome | undefined
  #interruption: Interruption | undefined
  /** The receipt is written. */
  #isOver = false
  readonly #patience = new AbortController()
  #patienceTimer: NodeJS.Timeout | undefined

  constructor(options: RedriveOptions, id: string) {
    this.#options = options
    this.#id = id
    this.#window = { ...defaultWindow, ...options.window }
    this.#recent = createMoveHistory(this.#window.messages * 2)
    this.#lock = new RedriveLock({ id, options, patience: this.#patience.signal })
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
      clearTimeout(this.#patienceTimer)
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
      return (await this.#unlessAway(this.#look(watch, true))) === 'stop'
    } catch (error) {
      if (!isLineLost(error)) throw error
      return false // the line is taken up again by the count
    }
  }

  /** Passes follow each other until all is seen: after a lost line, refusals, or a hold that took too long. */
  async #runPasses(tools: RunTools): Promise<RedriveOutcome> {
    for (;;) {
      await this.#whenFree(tools)
      if (this.#stopped) return this.#stopped
      const movedBefore = this.#tally.moved
      const { end, isHeldUp } = await this.#runPass(tools)
      if (end === 'lost') {
        if ((await this.#goOnAfterLoss()) === 'held') continue
        return this.#stopped ?? this.#interrupted('locked')
      }
      if (this.#stopped) return this.#stopped
      const moved = this.#tally.moved - movedBefore
      const next = this.#decideNext(tools, { end, isHeldUp, moved })
      if (next.kind === 'end')
        return next.outcome === 'interrupted' ? this.#interrupted(next.interruption) : next.outcome
      if (next.kind === 'again-when-returned') await this.#awaitReturned()
      else if (next.kind === 'again-when-led') await this.#changeChannel(tools)
    }
  }

  #interrupted(interruption: Interruption): RedriveOutcome {
    this.#interruption = interruption
    return 'interrupted'
  }

  /** Nothing is taken from the queue that would only wait there. */
  async #whenFree({ stages }: RunTools): Promise<void> {
    do {
      await this.#pace.whenRunning()
      if (stages) await this.#unlessAway(stages.whenOpen())
    } while (this.#pace.isPaused)
  }

  #unlessAway<Value>(work: Promise<Value>): Promise<Value | 'away'> {
    return unlessAway(work, { session: this.#options.consuming, patience: this.#patience.signal })
  }

  #decideNext(
    { rules }: RunTools,
    { moved, ...facts }: Pick<PassFacts, 'end' | 'isHeldUp' | 'moved'>,
  ): NextPass {
    const { keptCount, failedCount } = this.#tally
    this.#idlePasses = moved > 0 ? 0 : this.#idlePasses + 1
    return decideNextPass({
      ...{ ...facts, moved, idlePasses: this.#idlePasses, isPaused: this.#pace.isPaused },
      isLimitReached: this.#tally.moved >= rules.limit,
      unseen: this.#present - this.#tally.moved - keptCount - failedCount,
      hasLostNode: this.#lock.hasLostNode,
      returnsInMs: this.#lock.returnsInMs,
      isRefusalRetriable: this.#refusals.isRetriable,
      refusalRetries: this.#refusals.retries,
    })
  }

  #goOnAfterLoss(): Promise<Retaken> {
    this.#recent.lineLost()
    return this.#lock.retake()
  }

  /** Until there is more in the queue than was left there, or nothing is to be expected any more. */
  async #awaitReturned(): Promise<void> {
    const { consuming, queue } = this.#options
    const left = this.#tally.keptCount + this.#tally.failedCount
    try {
      while (!this.#stopped && this.#lock.returnsInMs > 0) {
        const depth = await this.#unlessAway(depthOf(consuming, queue))
        if (depth === 'away' || depth > left) return
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

  async #runPass(tools: RunTools): Promise<PassEnd> {
    const { rules, watch, stages } = tools
    const { consuming, queue } = this.#options
    const tally = this.#tally
    if (tally.moved >= rules.limit) return { end: 'all-seen', isHeldUp: false }
    if (this.#passes > 0) this.#options.onAgain?.()
    this.#passes += 1
    tally.startPass()
    this.#refusals.startPass()
    rules.startPass(tally.moved)
    let channel: AmqpChannel | undefined
    let endWatch = (): void => {}
    try {
      const surplus = await this.#unlessAway(this.#countSurplus())
      const probe = await this.#unlessAway(consuming.openChannel())
      if (surplus === 'away' || probe === 'away') return { end: 'lost', isHeldUp: false }
      channel = await consuming.openChannel()
      const pass = this.#createPass(tools, { channel, surplus })
      endWatch = watch.observe({ channel, probe, onSuspicion: () => stages?.hold() })
      this.#pass = pass
      if (this.#stopped) pass.cancel()
      const end = await pass.run()
      this.#extras = pass.extraCount
      await closeSettled(channel, queue)
      await probe.close()
      return { end, isHeldUp: pass.isHeldUp }
    } catch (error) {
      await channel?.close() // what it holds goes back
      if (!isLineLost(error)) throw error
      return { end: 'lost', isHeldUp: false }
    } finally {
      endWatch()
      this.#pass = undefined
    }
  }

  /** No more than this can have been moved and come again; asked for only where messages do not say who they are. */
  async #countSurplus(): Promise<number> {
    const { consuming: session, queue } = this.#options
    const expected = this.#present - this.#tally.moved
    if (!this.#tally.hasUnnamed || expected === 0) return 0
    await pause(this.#lock.returnsInMs)
    return countSurplus({ session, queue, expected, otherConsumers: this.#otherConsumers })
  }

  #createPass(tools: RunTools, { channel, surplus }: { channel: AmqpChannel; surplus: number }): RedrivePass {
    const { rules, publisher, stages, depths } = tools
    const { queue, onKept, onFailed, onProgress } = this.#options
    return new RedrivePass({
      ...{ channel, publisher, queue, rules, tally: this.#tally },
      ...{ window: this.#window, recent: this.#recent, surplus, digest: this.#digest, pace: this.#pace },
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
    this.#patienceTimer ??= setTimeout(() => this.#patience.abort(), patienceMs)
    this.#pass?.cancel()
  }

  /** Counts the queue before it says "done": an ack can be lost behind the close of its channel, or with a node. */
  async #count(tools: RunTools, ended: RedriveOutcome): Promise<Receipt> {
    for (let outcome = ended; ; ) {
      try {
        const hold = outcome === 'interrupted' ? 'locked' : await this.#lock.isSure()
        if (hold === 'locked') outcome = this.#stopped ?? this.#interrupted(this.#interruption ?? 'locked')
        const count = hold === 'away' ? hold : await this.#unlessAway(this.#countOnce(tools, hold === 'held'))
        return this.#writeReceipt({ tools, outcome, count: count === 'away' ? undefined : count })
      } catch (error) {
        const isUnled = error instanceof RecoveryError && error.code === 'RECOVERY_NO_LEADER'
        if (!isLineLost(error) && !isUnled) throw error
        if (isUnled && this.#stopped) return this.#writeReceipt({ tools, outcome, count: undefined })
        this.#recent.lineLost()
      }
    }
  }

  async #countOnce({ rules, publisher }: RunTools, isOurs: boolean): Promise<EndCount> {
    const { consuming: session, queue } = this.#options
    await pause(this.#lock.returnsInMs)
    const count = await countAtEnd({
      ...{ session, queue, rules, publisher, tally: this.#tally, recent: this.#recent },
      ...{ window: this.#window.messages, extras: this.#extras },
      expected: this.#present - this.#tally.moved,
      mayClear: () => isOurs && !this.#isOver,
    })
    this.#otherConsumers = Math.max(this.#otherConsumers, count.otherConsumers)
    this.#unproved += count.unproved
    this.#tally.duplicatesPossible += count.unproved
    return count
  }

  #writeReceipt(fields: { tools: RunTools; outcome: RedriveOutcome; count: EndCount | undefined }): Receipt {
    const { tools, outcome, count } = fields
    this.#isOver = true
    return writeReceipt({
      ...{ id: this.#id, options: this.#options, outcome, tally: this.#tally, present: this.#present },
      ...{ depth: count?.depth, unproved: this.#unproved, interruption: this.#interruption },
      startedAtMs: this.#startedAt,
      endedAtMs: Date.now(),
      otherConsumers: this.#otherConsumers,
      cameBack: tools.watch.cameBack,
      digest: this.#digest.text(),
      refusals: tools.rules.refusals(),
    })
  }
}

interface PassEnd {
  readonly end: WalkEnd
  /** What waited for its turn was given back. */
  readonly isHeldUp: boolean
}

/** The first consumer of a re-drive has this tag, so that it can be found at the broker. */
export function consumerTagOf(redriveId: string): string {
  return `warren-redrive-${redriveId}`
}

function pause(ms: number): Promise<void> {
  return ms <= 0 ? Promise.resolve() : sleep(ms)
}
