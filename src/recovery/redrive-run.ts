import { hostname } from 'node:os'
import type { AmqpChannel } from '../broker/amqp/channel.ts'
import { RecoveryError, WarrenError } from '../errors.ts'
import { Publisher } from '../publisher/publisher.ts'
import { clearLeftovers } from './clear-leftovers.ts'
import { closeSettled, depthOf, settledDepth } from './count-queue.ts'
import { createSetDigest, type SetDigest } from './digest-message.ts'
import { Pace } from './pace.ts'
import type { Receipt, RedriveOutcome } from './receipt.ts'
import { createRecentMoves, type RecentMoves } from './recent-moves.ts'
import type { RedriveOptions, RedriveProgress } from './redrive.ts'
import { countConsumers } from './redrive-count.ts'
import { DepthGate } from './redrive-gate.ts'
import { type PublishStep, RedrivePass } from './redrive-pass.ts'
import { writeReceipt } from './redrive-receipt.ts'
import { prepareRules, type RedriveRules } from './redrive-rules.ts'
import { StageGate } from './redrive-stages.ts'
import { RedriveTally } from './redrive-tally.ts'
import { RedriveWatch } from './redrive-watch.ts'
import { type Lock, takeLock } from './take-lock.ts'
import type { WalkEnd } from './walk-queue.ts'

/** Messages under way at a time. With 2000 a prototype was half as fast on 4.0.5 as with 250 to 600. */
const defaultWindow = { messages: 400, bytes: 16 * 1024 * 1024 }
const defaultCanaryWaitMs = 10_000
/** A broker that has not noticed a lost connection keeps its lock for two heartbeats. */
const longestLockWaitMs = 150_000
const lockRetryMs = 250

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
  readonly #recent: RecentMoves
  readonly #digest: SetDigest = createSetDigest()
  readonly #pace: Pace
  readonly #startedAt = Date.now()
  #lock: Lock | undefined
  #pass: RedrivePass | undefined
  #present = 0
  #otherConsumers = 0
  /** Later arrivals that were sent ahead and given back. */
  #extras = 0
  #isWatching = false
  #stopped: RedriveOutcome | undefined

  constructor(options: RedriveOptions, id: string) {
    this.#options = options
    this.#id = id
    this.#window = { ...defaultWindow, ...options.window }
    this.#recent = createRecentMoves(this.#window.messages * 2)
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
    this.#lock = await this.#takeLock()
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
    this.#present = await depthOf(consuming, queue)
    this.#otherConsumers = await countConsumers(consuming, queue)
    const rules = await prepareRules(this.#options, { id: this.#id, atMs: this.#startedAt })
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

  /** Passes follow each other until all is seen: after a lost line, or a hold that took too long. */
  async #runPasses(tools: RunTools): Promise<RedriveOutcome> {
    for (;;) {
      await this.#pace.whenRunning()
      if (this.#stopped) return this.#stopped
      const movedBefore = this.#tally.moved
      const end = await this.#runPass(tools)
      if (end === 'lost') {
        if (!(await this.#relock())) return 'interrupted'
        continue
      }
      if (this.#stopped) return this.#stopped
      const mayGoOn = this.#tally.moved > movedBefore || this.#pace.isPaused
      if (end === 'held-too-long' && mayGoOn) continue
      return end === 'held-too-long' ? end : 'done'
    }
  }

  async #runPass(tools: RunTools): Promise<WalkEnd> {
    const { rules, watch, stages } = tools
    const { consuming, queue } = this.#options
    const tally = this.#tally
    if (tally.moved >= rules.limit) return 'all-seen'
    tally.startPass()
    rules.startPass(tally.moved)
    let channel: AmqpChannel | undefined
    let endWatch = (): void => {}
    try {
      channel = await consuming.openChannel()
      const probe = await consuming.openChannel()
      const pass = this.#createPass(tools, { channel, probe })
      endWatch = watch.observe({ channel, probe, onSuspicion: () => stages?.hold() })
      this.#pass = pass
      if (this.#stopped) pass.cancel()
      const end = await pass.run()
      this.#extras = pass.extraCount
      await closeSettled(channel, probe, queue)
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

  #createPass(tools: RunTools, line: { channel: AmqpChannel; probe: AmqpChannel }): RedrivePass {
    const { rules, publisher, stages, depths } = tools
    const { queue, onKept, onFailed, onProgress } = this.#options
    return new RedrivePass({
      ...{ ...line, publisher, queue, rules, tally: this.#tally },
      ...{ window: this.#window, recent: this.#recent, digest: this.#digest, pace: this.#pace },
      count: this.#present - this.#tally.moved,
      // Who asks for ten is not sent four hundred.
      prefetch: Math.min(this.#window.messages, rules.limit),
      maxHoldMs: rules.maxHoldMs,
      consumerTag: consumerTagOf(this.#id),
      ...{ onKept, onFailed },
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

  #takeLock(): Promise<Lock> {
    const { consuming, queue, management, by } = this.#options
    const holder = `${by} on ${hostname()} (re-drive ${this.#id})`
    return takeLock({ session: consuming, queue, holder, management, vhost: consuming.vhost })
  }

  /** Takes the lock again on a new connection; false when somebody else has it. */
  async #relock(): Promise<boolean> {
    const giveUpAt = Date.now() + longestLockWaitMs
    for (;;) {
      await this.#options.consuming.whenConnected()
      await this.#lock?.release()
      try {
        this.#lock = await this.#takeLock()
        return true
      } catch (error) {
        const isLocked = error instanceof RecoveryError && error.code === 'RECOVERY_LOCKED'
        if (!isLocked && !isLineLost(error)) throw error
        if (isLocked && Date.now() >= giveUpAt) return false
        await new Promise((resolve) => setTimeout(resolve, lockRetryMs))
      }
    }
  }

  /** Counts the queue before it says "done": an ack can be lost behind the close of its channel. */
  async #count(tools: RunTools, outcome: RedriveOutcome): Promise<Receipt> {
    for (;;) {
      try {
        const depth = await this.#countOnce(tools)
        return this.#writeReceipt({ tools, outcome, depth })
      } catch (error) {
        if (!isLineLost(error)) throw error
        if (!(await this.#relock())) return this.#writeReceipt({ tools, outcome: 'interrupted', depth: 0 })
      }
    }
  }

  async #countOnce({ rules, publisher }: RunTools): Promise<number> {
    const { consuming, queue } = this.#options
    const tally = this.#tally
    const expected = this.#present - tally.moved
    const depth = await settledDepth(consuming, queue, expected + this.#extras)
    this.#otherConsumers = Math.max(this.#otherConsumers, await countConsumers(consuming, queue))
    if (depth <= expected || this.#recent.size === 0) return depth
    const { cleared, unproved } = await clearLeftovers({
      ...{ session: consuming, queue, recent: this.#recent, rules, publisher },
      count: Math.min(depth, tally.keptCount + tally.failedCount + this.#recent.size),
      window: this.#window.messages,
    })
    tally.duplicatesPossible += unproved
    return settledDepth(consuming, queue, depth - cleared)
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

function isLineLost(error: unknown): boolean {
  return (
    error instanceof WarrenError && (error.code.startsWith('CONNECTION_') || error.code === 'CHANNEL_CLOSED')
  )
}
