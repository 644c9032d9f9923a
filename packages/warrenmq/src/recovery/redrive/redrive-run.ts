import { setTimeout as sleep } from 'node:timers/promises'
import type { Delivery } from '../../broker/amqp/delivery.ts'
import { ChannelError, RecoveryError } from '../../errors.ts'
import type { PublishResult } from '../../publisher/publish-result.ts'
import { Publisher } from '../../publisher/publisher.ts'
import { isConnectionLost } from '../look/is-connection-lost.ts'
import { isQueueGone } from '../look/is-queue-gone.ts'
import type { LookRules } from '../look/prepare-look.ts'
import { depthOf } from '../look/settled-depth.ts'
import type { Receipt } from '../receipt/receipt.ts'
import { createSetDigest, digestBody } from '../receipt/set-digest.ts'
import { awaitLeaders } from './await-leaders.ts'
import { consumerTagOf } from './consumer-tag.ts'
import { countForReceipt } from './count-for-receipt.ts'
import { countTargets } from './count-targets.ts'
import { DeadWatch, type WatchFacts } from './dead-watch.ts'
import { decidePrefetch } from './decide-prefetch.ts'
import { describeFailure } from './failed-publish.ts'
import { listenToSessions } from './listen-to-sessions.ts'
import { MessageTaking, type TakingListener } from './message-taking.ts'
import { nextRedriveState } from './next-redrive-state.ts'
import { type CountedQueue, depthWhenBack, prepareFirst, readLookAgain } from './prepare-first.ts'
import { readAnswer } from './read-answer.ts'
import type { HoldReason, RedriveCommand } from './redrive-command.ts'
import type { RedriveEvent } from './redrive-event.ts'
import { RedriveLock } from './redrive-lock.ts'
import type { RedriveOptions, RedriveProgress } from './redrive-options.ts'
import { type PublishStep, queuesOf, type RedriveRules } from './redrive-rules.ts'
import { leastLeftOf, leftOf, movedSoFar, type RedriveState, startRedriveState } from './redrive-state.ts'
import { RedriveTally } from './redrive-tally.ts'
import { sampleDepth } from './sample-depth.ts'
import type { Taken } from './taken.ts'
import { unlessAway } from './unless-away.ts'
import { isWaiting } from './wait-state.ts'
import { writeReceipt } from './write-receipt.ts'

/** As many as Shovel takes; with 2000 a prototype was half as fast on 4.0.5. */
const defaultWindow = { messages: 1000, bytes: 16 * 1024 * 1024 }
const defaultWaitMs = 10 * 60_000
const defaultCanaryWaitMs = 10_000
const tickMs = 100
const askEveryMs = 250
const countAgainMs = 20

/** What is answered later. */
type Errand = Exclude<RedriveCommand<Taken>, { kind: AtOnce }>
type AtOnce =
  | 'publish'
  | 'ack'
  | 'hold'
  | 'prove-acks'
  | 'extend'
  | 'stop-taking'
  | 'wake'
  | 'tell-wait'
  | 'lose-patience'
  | 'finish'
type Command<Kind> = Extract<RedriveCommand<Taken>, { kind: Kind }>

/** Carries out what the state machine commands, and tells it what happens. It decides nothing. */
export class RedriveRun {
  readonly #id: string
  readonly #options: RedriveOptions
  readonly #publisher: Publisher
  readonly #lock: RedriveLock
  readonly #tally = new RedriveTally()
  readonly #digest = createSetDigest()
  readonly #patience = new AbortController()
  readonly #watch: DeadWatch
  readonly #startedAtMs = Date.now()
  readonly #startedAt = performance.now()
  readonly #events: RedriveEvent<Taken>[] = []
  readonly #undo: (() => void)[] = []
  #isTelling = false
  #state: RedriveState<Taken>
  #rules: RedriveRules | undefined
  #look: LookRules | undefined
  #taking: MessageTaking | undefined
  #tickedAt = performance.now()
  /** Moved, as it was told last. */
  #told = 0
  /** What went wrong, where an error ended it. */
  #error: unknown
  #settle: { resolve: (receipt: Receipt) => void; reject: (error: unknown) => void } | undefined

  constructor(options: RedriveOptions, id: string) {
    const { consuming: session, publishing, queue, canary, stopWhenDead, waitMs = defaultWaitMs } = options
    const window = { ...defaultWindow, ...options.window }
    const { answerMs: deadlineMs } = options
    this.#id = id
    this.#options = options
    this.#publisher = new Publisher(publishing, { window, ...(deadlineMs !== undefined && { deadlineMs }) })
    this.#lock = new RedriveLock({ id, options, patience: this.#patience.signal })
    const watched = { redriveId: id, canary, deadLimit: stopWhenDead, targets: () => this.#targets() }
    this.#watch = new DeadWatch({ session, publisher: this.#publisher, queue, ...watched })
    this.#state = startRedriveState({
      window,
      limit: options.limit ?? Number.POSITIVE_INFINITY,
      ratePerSecond: options.ratePerSecond,
      canary,
      isWatched: canary !== undefined || stopWhenDead !== undefined,
      waitMs,
      stopWhenTargetAbove: options.stopWhenTargetAbove,
    })
  }

  #targets(): readonly string[] {
    const rules = this.#rules
    return rules ? this.#tally.addresses.flatMap((address) => queuesOf(rules, address)) : []
  }

  pause(): void {
    this.#tell({ kind: 'pause' })
  }

  resume(): void {
    this.#tell({ kind: 'resume' })
  }

  cancel(): void {
    this.#tell({ kind: 'cancel' })
  }

  get progress(): RedriveProgress {
    const { isPaused, stage, phase, counts, flow, wait } = this.#state
    const isWatching = phase === 'looking' || stage?.isLooking === true
    const { failed, kept } = flow
    // Acks that are in doubt after a lost connection are counted again as they are proved: it never goes back.
    this.#told = Math.max(this.#told, movedSoFar(this.#state))
    return {
      state: isPaused ? 'paused' : isWatching ? 'watching' : 'moving',
      present: counts.present,
      moved: this.#told,
      failed,
      kept,
      ...(isWaiting(wait) && { waitingMs: wait.waitedMs }),
    }
  }

  async run(): Promise<Receipt> {
    try {
      return await new Promise<Receipt>((resolve, reject) => {
        this.#settle = { resolve, reject }
        this.#listen()
        this.#tell({ kind: 'started' })
      })
    } finally {
      for (const undo of this.#undo) undo()
      this.#taking?.abandon()
      const isClosed = this.#publisher.close()
      await Promise.all([this.#state.ending.isAbandoned || isClosed, this.#lock.release()])
    }
  }

  #listen(): void {
    const ticking = setInterval(() => this.#tick(), Math.min(tickMs, this.#state.settings.waitMs))
    this.#undo.push(
      () => clearInterval(ticking),
      ...listenToSessions(this.#options, {
        tell: (event) => this.#tell(event),
        // A broker that does not let this user in any more is not away.
        onRefused: (error) => {
          this.#error ??= error
        },
      }),
    )
  }

  /** One thing after the other: what a command brings about at once is told after it. */
  #tell(event: RedriveEvent<Taken>): void {
    this.#events.push(event)
    if (this.#isTelling) return
    this.#isTelling = true
    try {
      for (let at = 0; at < this.#events.length; at += 1) {
        const { state, commands } = nextRedriveState(this.#state, this.#events[at]!)
        this.#state = state
        for (const command of commands) this.#carryOut(command)
      }
    } finally {
      this.#events.length = 0
      this.#isTelling = false
    }
  }

  #tick(): void {
    const now = performance.now()
    const ms = now - this.#tickedAt
    this.#tickedAt = now
    this.#tell({ kind: 'tick', ms })
  }

  #carryOut(command: RedriveCommand<Taken>): void {
    switch (command.kind) {
      case 'publish':
        this.#publish(command.message)
        break
      case 'ack':
        this.#acknowledge(command.message)
        break
      case 'hold':
        this.#hold(command.message, command.why)
        break
      case 'prove-acks':
        this.#proveAcks()
        break
      case 'extend':
        this.#taking?.extend()
        break
      case 'stop-taking':
        this.#taking?.stop()
        break
      case 'wake':
        this.#wake(command.ms)
        break
      case 'tell-wait':
        this.#options.onWait?.(command.ms)
        break
      case 'lose-patience':
        this.#patience.abort()
        break
      case 'finish':
        this.#finish(command)
        break
      default:
        this.#run(command).catch((error: unknown) => this.#tellError(error))
    }
  }

  /** What takes its time; what goes wrong with it is told like anything else that happens. */
  async #run(command: Errand): Promise<void> {
    switch (command.kind) {
      case 'lock':
        return this.#takeLock()
      case 'prepare':
        return this.#prepare().catch(pauseIfLost)
      case 'take':
        return this.#take(command)
      case 'give-back':
        return this.#giveBack()
      case 'relock':
        return this.#relock()
      case 'await-connection':
        return this.#awaitConnection()
      case 'await-returned':
        return this.#awaitReturned(command.left)
      case 'await-leaders':
        return this.#awaitLeaders(command.queues)
      case 'count-targets':
        return this.#countTargets(command)
      case 'look-for-dead':
        return this.#lookForDead(command.isStageEnd)
      case 'count':
        return this.#count(command.isOurs)
    }
  }

  #tellError(error: unknown): void {
    const { phase, pass, ending } = this.#state
    const isLost = isConnectionLost(error) && phase !== 'locking'
    if (isLost && (pass.isPrepared || !ending.stopped)) this.#tell({ kind: 'lost' })
    else if (!pass.isPrepared) this.#settle?.reject(isLost ? nothingBegun(this.#options.queue) : error)
    else if (isQueueGone(error)) this.#tell({ kind: 'queue-gone' })
    else this.#tellFailure(error)
  }

  #tellFailure(error: unknown): void {
    this.#error ??= error
    const isForbidden = error instanceof ChannelError && error.replyCode === accessRefused
    this.#tell({ kind: 'failed', isForbidden })
  }

  #wake(ms: number): void {
    const timer = setTimeout(() => this.#tick(), ms)
    this.#undo.push(() => clearTimeout(timer))
  }

  async #takeLock(): Promise<void> {
    if ((await this.#unlessAway(this.#lock.take())) === 'away') {
      void this.#lock.release() // should it be taken yet
      throw nothingBegun(this.#options.queue)
    }
    this.#tell({ kind: 'locked' })
  }

  async #prepare(): Promise<void> {
    const facts = await this.#unlessAway(this.#rules ? this.#prepareAgain() : this.#prepareFirst())
    if (facts === 'away') {
      if (this.#rules) this.#tell({ kind: 'lost' })
      else throw nothingBegun(this.#options.queue)
      return
    }
    const look = this.#look!
    const { messages: window } = this.#state.settings.window
    const { limit } = this.#state.settings
    this.#tell({
      kind: 'prepared',
      ...facts,
      returnLimit: look.returnLimit,
      aside: look.aside.count,
      returnsInMs: this.#lock.returnsInMs,
      prefetch: decidePrefetch({ window, limit, averageBytes: look.averageBytes }),
    })
  }

  async #prepareFirst(): Promise<CountedQueue> {
    const run = { id: this.#id, atMs: this.#startedAtMs, publisher: this.#publisher }
    const { rules, ...counted } = await prepareFirst(this.#options, run)
    this.#rules = rules
    this.#look = rules.look
    return counted
  }

  async #prepareAgain(): Promise<CountedQueue> {
    await this.#taking?.whenClosed()
    const patience = this.#patience.signal
    this.#look = await readLookAgain(this.#options, { before: this.#look!, patience })
    const { otherConsumers, inDoubt } = this.#state.counts
    // Only where acks are in doubt the depth tells something.
    if (inDoubt === 0 || this.#lock.returnsInMs > 0) return { depth: 0, otherConsumers }
    const { consuming: session, queue } = this.#options
    const atLeast = leastLeftOf(this.#state)
    return { depth: await depthWhenBack({ session, queue, otherConsumers, atLeast }), otherConsumers }
  }

  async #take({ count, prefetch, isFirst }: Command<'take'>): Promise<void> {
    const { consuming: session, queue, onAgain } = this.#options
    if (!isFirst) onAgain?.()
    this.#tally.startPass()
    if (!this.#lock.isHeld) {
      this.#tell({ kind: 'lost' })
      return
    }
    const taking = new MessageTaking({
      session,
      publisher: this.#publisher,
      queue,
      look: this.#look!,
      count,
      prefetch,
      consumerTag: consumerTagOf(this.#id),
      listener: this.#listener,
    })
    this.#taking = taking
    const stopSampling = this.#sample(taking)
    try {
      const end = await taking.run()
      if (end === 'lost' || end === 'full') this.#tell({ kind: 'lost' })
      else this.#tell({ kind: 'walked', end })
    } catch (error) {
      // Whoever closed the channel has told it; else it was never open.
      if (this.#state.pass.walk === 'on') this.#tellClosed(error)
    } finally {
      stopSampling()
    }
  }

  readonly #listener: TakingListener = {
    delivered: (message) => {
      try {
        const step = this.#rules!.decide(message.delivery)
        message.step = step
        if (step.kind === 'publish' && this.#state.gate) message.queues = queuesOf(this.#rules!, step)
        this.#tell({ kind: 'delivered', message, decision: step })
      } catch (error) {
        this.#tellFailure(error) // it cannot be decided on
        this.#tell({ kind: 'extra', message })
      }
    },
    extra: (message) => this.#tell({ kind: 'extra', message }),
    timeUp: () => this.#tell({ kind: 'time-up' }),
    closed: (error) => this.#tellClosed(error),
  }

  /** The channel is gone, and what it held is back; a reason that time does not mend ends the run, too. */
  #tellClosed(error: unknown): void {
    this.#taking?.abandon()
    if (error !== undefined && isQueueGone(error)) {
      this.#tell({ kind: 'queue-gone' })
      return
    }
    if (error !== undefined && !isConnectionLost(error)) this.#tellFailure(error)
    this.#tally.startPass()
    this.#tell({ kind: 'lost' })
  }

  /** While a pass is under way, the depth of the queue shows that messages come back. */
  #sample(taking: MessageTaking): () => void {
    if (!this.#state.stage) return () => {}
    return sampleDepth(this.#options, (depth) => {
      const isSuspicious = this.#watch.isSuspicious(depth, this.#watchFacts(taking))
      if (isSuspicious && this.#taking === taking) this.#tell({ kind: 'suspected' })
    })
  }

  #publish(message: Taken): void {
    const step = message.step as PublishStep
    try {
      const encoded = this.#rules!.encode(message.delivery, step)
      this.#publisher.publishEncoded(encoded, (result) => {
        if (result.kind === 'confirmed') this.#countPublish(message.delivery, { step, body: encoded.body })
        else this.#noteFailure(message, result)
        this.#tell(readAnswer(message, result, { rules: this.#rules!, address: step }))
      })
    } catch (error) {
      this.#tellFailure(error) // it cannot be encoded
      this.#tell({ kind: 'unanswered', message, cause: 'unsent', mayBeThere: false })
    }
  }

  #countPublish(delivery: Delivery, { step, body }: { step: PublishStep; body: Delivery['body'] }): void {
    if (this.#state.ending.isAbandoned) return
    this.#digest.add(digestBody({ body }), this.#rules!.idOf(delivery))
    this.#tally.countMove(step, this.#rules!.causeOf(delivery))
  }

  #noteFailure(message: Taken, result: Exclude<PublishResult, { kind: 'confirmed' }>): void {
    const failure = describeFailure(message.step as PublishStep, result)
    message.failure = failure
    if (failure.largestBytes !== undefined) this.#rules!.takeAtMost(failure.largestBytes)
  }

  #acknowledge(message: Taken): void {
    this.#taking!.ack(message)
    this.#options.onProgress?.(this.progress)
  }

  #hold(message: Taken, why: HoldReason): void {
    const { onKept, onFailed } = this.#options
    if (why === 'failed') {
      this.#tally.countFailure(message.failure!)
      onFailed?.(message.delivery, message.failure!)
    } else if (why === 'came-back') this.#tally.cameBackCount += 1
    else if (why !== 'extra' && why !== 'stopped' && why !== 'over-the-limit') {
      this.#tally.countKeep(why)
      onKept?.(message.delivery, why)
    }
    const aside = this.#look!.aside
    const isCopying = this.#taking!.hold(message, (end) => {
      this.#tell({ kind: 'copied', end, aside: aside.count })
    })
    if (isCopying) this.#tell({ kind: 'copying' })
  }

  #proveAcks(): void {
    const taking = this.#taking!
    taking.prove().then(
      (count) => {
        if (this.#taking === taking) this.#tell({ kind: 'acks-known', count })
      },
      () => {}, // the channel is gone, which is told by itself
    )
  }

  async #giveBack(): Promise<void> {
    await this.#taking!.giveBack()
    const { returnsInMs, hasLostNode } = this.#lock
    this.#tell({ kind: 'gave-back', returnsInMs, hasLostNode })
  }

  async #relock(): Promise<void> {
    this.#taking?.abandon()
    const held = await this.#lock.retake()
    const isClosed = this.#options.consuming.state === 'closed'
    this.#tell({ kind: 'relocked', held: isClosed ? 'closed' : held })
  }

  async #awaitConnection(): Promise<void> {
    await this.#publisher.room()
    if (this.#options.publishing.connection) this.#tell({ kind: 'connected', connection: 'publishing' })
  }

  /** Until there is more in the queue than was left there, or nothing is to be expected any more. */
  async #awaitReturned(left: number): Promise<void> {
    const { consuming, queue } = this.#options
    try {
      while (!this.#state.ending.stopped && this.#lock.returnsInMs > 0) {
        const depth = await this.#unlessAway(depthOf(consuming, queue))
        if (depth === 'away' || depth > left) break
        await sleep(Math.min(askEveryMs, this.#lock.returnsInMs))
      }
    } catch (error) {
      if (!isConnectionLost(error) && !isQueueGone(error)) throw error // else the next pass notices
    }
    this.#tell({ kind: 'rested' })
  }

  async #awaitLeaders(queues: readonly string[]): Promise<void> {
    await awaitLeaders(this.#options.publishing, queues)
    await this.#publisher.renew()
    this.#tell({ kind: 'rested' })
  }

  async #countTargets({ queues, isSoon }: Command<'count-targets'>): Promise<void> {
    if (!isSoon) await sleep(countAgainMs)
    const depth = await countTargets(this.#options.publishing, queues)
    this.#tell({ kind: 'targets-counted', depth })
  }

  /** Do messages that were moved come back? */
  async #lookForDead(isStageEnd: boolean): Promise<void> {
    const { waitMs = defaultCanaryWaitMs } = this.#options.canary ?? {}
    const read = (): WatchFacts => this.#watchFacts(this.#taking)
    const isStopped = (): boolean => this.#state.ending.stopped !== undefined
    const look = async (): Promise<'go-on' | 'stop'> => {
      if (isStageEnd) await this.#watch.wait(waitMs, () => (isStopped() ? undefined : read()))
      return isStopped() ? 'go-on' : this.#watch.judge(read)
    }
    try {
      const verdict = await this.#unlessAway(look())
      this.#tell({ kind: 'looked-for-dead', isTooMany: verdict === 'stop', isStageEnd })
    } catch (error) {
      // The pass or the count finds out what is lost.
      if (!isConnectionLost(error) && !isQueueGone(error)) this.#tellFailure(error)
      this.#tell({ kind: 'looked-for-dead', isTooMany: false, isStageEnd: false })
    }
  }

  #watchFacts(taking: MessageTaking | undefined): WatchFacts {
    const { flow } = this.#state
    // What is acknowledged and not proved is in hand no more, as we see it.
    const left = leftOf(this.#state) - flow.unproved
    return { moved: movedSoFar(this.#state), left, inHand: taking?.openCount ?? 0, look: this.#look! }
  }

  async #count(isOurs: boolean): Promise<void> {
    const { consuming: session, queue } = this.#options
    const { counts } = this.#state
    const atLeast = leastLeftOf(this.#state)
    try {
      const count = await countForReceipt({
        session,
        publisher: this.#publisher,
        queue,
        look: this.#look!,
        lock: this.#lock,
        patience: this.#patience.signal,
        isOurs,
        atLeast: counts.otherConsumers > 0 ? 0 : atLeast,
        isOver: () => {
          const { stopped, outcome } = this.#state.ending
          return stopped !== undefined || outcome === 'interrupted'
        },
        onLost: () => this.#tell({ kind: 'lost' }),
      })
      this.#tell({ kind: 'counted', count })
    } catch (error) {
      this.#error ??= error
      this.#tell({ kind: 'counted', count: { kind: 'uncounted', isFailed: true } })
    }
  }

  #finish({ outcome, interruption }: Command<'finish'>): void {
    const isError = interruption === 'failed' || interruption === 'forbidden'
    if (isError && this.#state.flow.confirmed === 0) {
      this.#settle?.reject(this.#error)
      return
    }
    const isRefused = interruption === 'away' && this.#error !== undefined
    const receipt = writeReceipt({
      id: this.#id,
      options: this.#options,
      tally: this.#tally,
      state: this.#state,
      startedAtMs: this.#startedAtMs,
      endedAtMs: Date.now(),
      elapsedMs: performance.now() - this.#startedAt,
      outcome,
      interruption: isRefused ? 'forbidden' : interruption,
      cameBack: Math.max(this.#watch.cameBack, this.#tally.cameBackCount),
      digest: this.#digest.text(),
      rules: this.#rules!,
      problem: isError || isRefused ? wordsOf(this.#error) : undefined,
    })
    this.#settle?.resolve(receipt)
  }

  #unlessAway<Value>(work: Promise<Value>): Promise<Value | 'away'> {
    return unlessAway(work, { session: this.#options.consuming, patience: this.#patience.signal })
  }
}

const accessRefused = 403

/** What cannot be reached is asked again, and not at once. */
async function pauseIfLost(error: unknown): Promise<never> {
  if (isConnectionLost(error)) await sleep(askEveryMs)
  throw error
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function nothingBegun(queue: string): RecoveryError {
  return new RecoveryError({
    code: 'RECOVERY_INTERRUPTED',
    message: `The broker was away when the re-drive of "${queue}" was ended, before it began. Nothing was moved.`,
  })
}
