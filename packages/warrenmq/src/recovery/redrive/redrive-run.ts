import { ChannelError } from '../../errors.ts'
import { ownSleep, setOwnTimeout } from '../../own-timer.ts'
import { Publisher } from '../../publisher/publisher.ts'
import { clearInterval, clearTimeout, dateNow, performance, setInterval } from '../../world.ts'
import { isConnectionLost } from '../look/is-connection-lost.ts'
import { isQueueGone } from '../look/is-queue-gone.ts'
import type { Receipt } from '../receipt/receipt.ts'
import { awaitReturned } from './await-returned.ts'
import { countForReceipt } from './count-for-receipt.ts'
import { EventQueue } from './event-queue.ts'
import { listenToSessions } from './listen-to-sessions.ts'
import { nextRedriveState } from './next-redrive-state.ts'
import { nothingBegun } from './nothing-begun.ts'
import type { RedriveCommand, RedriveErrand } from './redrive-command.ts'
import type { RedriveEvent } from './redrive-event.ts'
import { RedriveLock } from './redrive-lock.ts'
import type { RedriveOptions, RedriveProgress } from './redrive-options.ts'
import { RedrivePreparation } from './redrive-preparation.ts'
import { RedrivePublishing } from './redrive-publishing.ts'
import { leastLeftOf, movedSoFar, type RedriveState, startRedriveState } from './redrive-state.ts'
import { RedriveTaking } from './redrive-taking.ts'
import { RedriveTally } from './redrive-tally.ts'
import { RedriveWatch } from './redrive-watch.ts'
import type { Taken } from './taken.ts'
import { unlessAway } from './unless-away.ts'
import { isWaiting } from './wait-state.ts'
import { writeReceipt } from './write-receipt.ts'

/** As many as Shovel takes; with 2000 a prototype was half as fast on 4.0.5. */
const defaultWindow = { messages: 1000, bytes: 16 * 1024 * 1024 }
const defaultWaitMs = 10 * 60_000
const tickMs = 100
const askEveryMs = 250

type CommandOf<Kind> = Extract<RedriveCommand<Taken>, { kind: Kind }>

/** Carries out what the state machine commands, and tells it what happens. It decides nothing. */
export class RedriveRun {
  readonly #id: string
  readonly #options: RedriveOptions
  readonly #publisher: Publisher
  readonly #lock: RedriveLock
  readonly #tally = new RedriveTally()
  readonly #patience = new AbortController()
  /** Nobody waits for an answer of the management API after it. */
  readonly #over = new AbortController()
  readonly #preparation: RedrivePreparation
  readonly #publishing: RedrivePublishing
  readonly #watch: RedriveWatch
  readonly #taking: RedriveTaking
  readonly #startedAtMs = dateNow()
  readonly #startedAt = performance.now()
  readonly #events = new EventQueue<Taken>((event) => this.#take(event))
  readonly #undo: (() => void)[] = []
  #state: RedriveState<Taken>
  #tickedAt = performance.now()
  /** Moved, as it was told last. */
  #told = 0
  /** What went wrong, if an error ended it. */
  #error: unknown
  #settle: { resolve: (receipt: Receipt) => void; reject: (error: unknown) => void } | undefined

  constructor(asked: RedriveOptions, id: string) {
    const options = { ...asked, management: asked.management?.until(this.#over.signal) }
    const { publishing, canary, stopWhenDead, waitMs = defaultWaitMs } = options
    const window = { ...defaultWindow, ...options.window }
    const { answerMs: deadlineMs } = options
    this.#id = id
    this.#options = options
    this.#publisher = new Publisher(publishing, { window, ...(deadlineMs !== undefined && { deadlineMs }) })
    const shared = {
      id,
      options,
      publisher: this.#publisher,
      tally: this.#tally,
      patience: this.#patience.signal,
      startedAtMs: this.#startedAtMs,
      state: () => this.#state,
      events: this.#events,
      tellFailure: (error: unknown) => this.#tellFailure(error),
    }
    const lock = new RedriveLock(shared)
    const preparation = new RedrivePreparation({ ...shared, lock })
    const watch = new RedriveWatch({ ...shared, preparation })
    this.#lock = lock
    this.#preparation = preparation
    this.#watch = watch
    this.#publishing = new RedrivePublishing({ ...shared, preparation })
    this.#taking = new RedriveTaking({ ...shared, lock, preparation, watch })
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
    return this.#progressBefore(0)
  }

  /** As it was before the last so many acks. */
  #progressBefore(later: number): RedriveProgress {
    const { isPaused, stage, phase, counts, flow, wait } = this.#state
    const isWatching = phase === 'looking' || stage?.isLooking === true
    const { failed, kept } = flow
    // Acks that are in doubt after a lost connection are counted again as they are proved: it never goes back.
    this.#told = Math.max(this.#told, movedSoFar(this.#state) - later)
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
      this.#over.abort()
      this.#taking.abandon()
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
        onRefused: (error) => {
          this.#error ??= error
          this.#tell({ kind: 'refused' })
        },
      }),
    )
  }

  #tell(event: RedriveEvent<Taken>): void {
    this.#events.tell(event)
  }

  #take(event: RedriveEvent<Taken>): void {
    const count = event.kind === 'delivered' ? this.#taking.takeProvedAcks() : 0
    if (count > 0) this.#goOn({ kind: 'acks-known', count, isAnswer: false })
    this.#goOn(event)
  }

  #goOn(event: RedriveEvent<Taken>): void {
    const { state, commands } = nextRedriveState(this.#state, event)
    this.#state = state
    for (const command of commands) this.#carryOut(command)
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
        this.#publishing.publish(command.messages)
        break
      case 'ack':
        this.#acknowledge(command.messages)
        break
      case 'hold':
        this.#taking.hold(command.message, command.why)
        break
      case 'prove-acks':
        this.#taking.proveAcks()
        break
      case 'extend':
        this.#taking.extend()
        break
      case 'stop-taking':
        this.#taking.stop()
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

  /** What takes time; if it fails, that is reported like any other event. */
  async #run(command: RedriveErrand): Promise<void> {
    switch (command.kind) {
      case 'lock':
        return this.#takeLock()
      case 'prepare':
        return this.#prepare().catch(pauseIfLost)
      case 'take':
        return this.#taking.take(command)
      case 'give-back':
        return this.#taking.giveBack()
      case 'relock':
        return this.#taking.relock()
      case 'await-connection':
        return this.#publishing.awaitConnection()
      case 'await-returned':
        return this.#awaitReturned(command.left)
      case 'await-leaders':
        return this.#publishing.awaitLeaders(command.queues)
      case 'count-targets':
        return this.#publishing.countTargets(command)
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
    const timer = setOwnTimeout(() => this.#tick(), ms)
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
    const isLetGo = this.#taking.whenClosed()
    const event = await this.#unlessAway(isLetGo.then(() => this.#preparation.prepare()))
    if (event !== 'away') this.#tell(event)
    else if (this.#preparation.rules) this.#tell({ kind: 'lost' })
    else throw nothingBegun(this.#options.queue)
  }

  /** Progress is told for each message, however many were confirmed at once. */
  #acknowledge(messages: readonly Taken[]): void {
    const { onProgress } = this.#options
    this.#taking.ack(messages)
    if (!onProgress) return
    for (let left = messages.length - 1; left >= 0; left -= 1) onProgress(this.#progressBefore(left))
  }

  async #awaitReturned(left: number): Promise<void> {
    const { consuming: session, queue } = this.#options
    const patience = this.#patience.signal
    const isStopped = (): boolean => this.#state.ending.stopped !== undefined
    await awaitReturned({ session, queue, lock: this.#lock, patience, left, isStopped })
    this.#tell({ kind: 'rested' })
  }

  async #lookForDead(isStageEnd: boolean): Promise<void> {
    try {
      const verdict = await this.#unlessAway(this.#watch.look(isStageEnd, this.#taking))
      this.#tell({ kind: 'looked-for-dead', isTooMany: verdict === 'stop', isStageEnd })
    } catch (error) {
      // The pass or the count finds out what is lost.
      if (!isConnectionLost(error) && !isQueueGone(error)) this.#tellFailure(error)
      this.#tell({ kind: 'looked-for-dead', isTooMany: false, isStageEnd: false })
    }
  }

  async #count(isOurs: boolean): Promise<void> {
    const { consuming: session, queue } = this.#options
    const { counts } = this.#state
    const { look } = this.#preparation
    const atLeast = leastLeftOf(this.#state)
    // It was never prepared: nobody knows what was in the queue, and nothing was taken.
    if (!look) return this.#tell({ kind: 'counted', count: { kind: 'uncounted' } })
    try {
      const count = await countForReceipt({
        session,
        publisher: this.#publisher,
        queue,
        look,
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

  #finish({ outcome, interruption }: CommandOf<'finish'>): void {
    const { rules } = this.#preparation
    if (!rules) {
      this.#settle?.reject(nothingBegun(this.#options.queue, { isLocked: interruption === 'locked' }))
      return
    }
    const { flow, ending } = this.#state
    const isError = interruption === 'failed' || interruption === 'forbidden'
    // One that is refused was waited for, and its receipt says so.
    if (isError && flow.confirmed === 0 && !ending.isRefused) {
      this.#settle?.reject(this.#error)
      return
    }
    const receipt = writeReceipt({
      id: this.#id,
      options: this.#options,
      tally: this.#tally,
      state: this.#state,
      startedAtMs: this.#startedAtMs,
      endedAtMs: dateNow(),
      elapsedMs: performance.now() - this.#startedAt,
      outcome,
      interruption,
      cameBack: Math.max(this.#watch.cameBack, this.#tally.cameBackCount),
      digest: this.#publishing.digest,
      rules,
      problem: isError ? wordsOf(this.#error) : undefined,
    })
    this.#settle?.resolve(receipt)
  }

  #unlessAway<Value>(work: Promise<Value>): Promise<Value | 'away'> {
    return unlessAway(work, { session: this.#options.consuming, patience: this.#patience.signal })
  }
}

/** What cannot be reached is asked again, but not immediately. */
async function pauseIfLost(error: unknown): Promise<never> {
  if (isConnectionLost(error)) await ownSleep(askEveryMs)
  throw error
}

const accessRefused = 403

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
