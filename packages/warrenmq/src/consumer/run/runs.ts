import { setImmediate } from '../../world.ts'
import { giveBack } from '../settle/settlement.ts'
import type { SettledConsumerOptions } from '../settle-consumer-options.ts'
import { type Alarm, createAlarm } from './alarm.ts'
import type { Breaker } from './breaker.ts'
import type { DeliveryResult, KeptOutcome } from './delivery-result.ts'
import { createHandlerDeadlines, type HandlerDeadlines } from './handler-deadlines.ts'
import { createHolds, type Holds } from './holds.ts'
import { pause } from './pause.ts'
import { createPlacedSet, type PlacedSet } from './placed-set.ts'
import type { Run } from './run.ts'
import { createRunQueue, type RunQueue } from './run-queue.ts'
import { type Company, processSolitude, type Solitude } from './solitude.ts'
import { createSuspects, type Suspects } from './suspects.ts'

/** What the runs need of their consumer. */
export interface RunsParts {
  readonly queue: string
  readonly options: Pick<
    SettledConsumerOptions,
    'clock' | 'concurrency' | 'timeoutMs' | 'longestHoldMs' | 'startWithinMs'
  >
  readonly breaker: Pick<Breaker, 'kind' | 'probes'>
  /** @default that of the process */
  readonly solitude?: Solitude
  /** May it start now? If not, `pump` is called once it may. */
  readonly mayBegin: (run: Run) => boolean
  /** Takes a run to its result, which goes to `ended`, immediately or later. */
  readonly handle: (run: Run) => void
  /** What became of a run. Its place is free by then, unless it waits for another one. */
  readonly tell: (run: Run, result: DeliveryResult) => void
}

/** So long others wait for one that is alone, or that waits to be: its handler may wait for one of theirs, in milliseconds. */
const longestSolitudeMs = 30_000

/** The runs of a consumer: those that wait for a place, those in a handler, those held for later. */
export class Runs {
  /** Those that are kept until a time of their own. */
  readonly held: Holds<Run>
  readonly deadlines: HandlerDeadlines
  readonly #parts: RunsParts
  readonly #waiting: RunQueue<Run> = createRunQueue<Run>((run) => run.orderKey)
  readonly #running: PlacedSet<Run> = createPlacedSet<Run>()
  readonly #suspects: Suspects
  readonly #company: Company
  /** Of the one that runs alone, or waits to. */
  readonly #solitude: Alarm
  #alone: Run | undefined
  #isSolitudeOver = false
  /** For all that is kept too long: timers per message would cost too much. */
  readonly #overdue: Alarm
  #hasBegun = false
  #isStarting = true
  #isPumping = false
  #isPumpDue = false
  #tick = 0
  #isTickEnding = false
  #idleWaiters: (() => void)[] = []

  constructor(parts: RunsParts) {
    this.#parts = parts
    const { queue, options } = parts
    const { clock } = options
    this.held = createHolds(clock)
    this.deadlines = createHandlerDeadlines({ queue, options, running: this.#running })
    this.#suspects = createSuspects({ clock, mayGoOn: () => this.pump() })
    this.#company = (parts.solitude ?? processSolitude).join(() => this.pump())
    this.#solitude = createAlarm(clock, () => this.#endSolitude())
    this.#overdue = createAlarm(clock, (nowMs) => this.#giveBackOverdue(nowMs))
  }

  get counts(): { readonly waiting: number; readonly running: number; readonly held: number } {
    const waiting = this.#waiting.size() + this.#suspects.size()
    return { waiting, running: this.#running.size(), held: this.held.size() }
  }

  /** Takes a run over; it is started as soon as there is a place. */
  add(run: Run): void {
    this.#overdue.setBy(this.#overdueAt(run))
    // Most find a place immediately and need not queue.
    if (this.#isNext(run) && this.#mayStart() && this.#parts.mayBegin(run))
      this.#start(run, this.#parts.options.clock.now(), this.#parts.breaker.probes())
    else this.#enqueue(run)
  }

  /** Takes over a run that has to leave immediately and needs no handler: it waits for no place, no breaker and no key. */
  addUrgent(run: Run): void {
    run.orderKey = undefined
    if (!this.#hasBegun) this.#enqueue(run)
    else this.#start(run, this.#parts.options.clock.now(), undefined)
  }

  /** Keeps a run that is in no handler until its time. */
  holdUntil(run: Run, untilMs: number, then: 'run' | 'give-back'): void {
    if (!this.#isStarting) {
      this.#giveBack(run)
      return
    }
    this.#overdue.setBy(this.#overdueAt(run))
    this.held.add(run, untilMs, () => (then === 'run' ? this.#runAgain(run) : this.#giveBack(run)))
  }

  /** From now on runs are started; until then they wait. */
  begin(): void {
    this.#hasBegun = true
    this.pump()
  }

  /** Starts what may be started. */
  pump(): void {
    // A handler that finishes synchronously ends within the loop, which reuses its place.
    if (this.#isPumping) return
    this.#isPumping = true
    for (let run = this.#takeNext(); run; run = this.#takeNext()) this.#startInTime(run)
    this.#isPumping = false
  }

  /** A run that had a place has its result. Listeners hear of it before it waits again, and before the next one starts. */
  ended(run: Run, result: DeliveryResult): void {
    if (isFailedProbe(result) && this.#isStarting && run.delivery.isCurrent) {
      this.#parts.tell(run, result)
      this.#putBack(run)
      this.pump()
      return
    }
    this.#leave(run, isBackSoon(result))
    this.#parts.tell(run, result)
    if (result.kind === 'kept') this.#keep(run, result.outcome)
    if (result.kind === 'not-recounted') this.#runInTurn(run)
    else this.#pumpAfter(run)
  }

  /** Forgets those whose channel is gone; the broker has them back. Gives those that are still in a handler. */
  dropStale(): readonly Run[] {
    const isStale = ({ delivery }: Run) => !delivery.isCurrent
    this.#removeWaiting(isStale)
    this.held.removeAll(isStale)
    return this.#running.list().filter(isStale)
  }

  /** Starts no more from now on. */
  stopStarting(): void {
    this.#isStarting = false
  }

  /** Starts again what may be started, after a pause. Whoever waits for the end of what runs need not wait any more. */
  startAgain(): void {
    this.#isStarting = true
    this.#endIdleWaits()
    this.pump()
  }

  giveBackUnstarted(): void {
    this.#giveBackInOrder([...this.#removeWaiting(() => true), ...this.held.removeAll(() => true)])
  }

  /** Resolves when no handler runs any more, or after the deadline. */
  async whenIdle(deadlineMs: number): Promise<void> {
    if (this.#running.size() === 0) return
    const idle = new Promise<void>((resolve) => this.#idleWaiters.push(resolve))
    const stopped = new AbortController()
    await Promise.race([
      idle,
      pause(deadlineMs, { clock: this.#parts.options.clock, signal: stopped.signal }),
    ])
    stopped.abort()
  }

  /** Tells the handlers that are still running to end, and leaves no timer behind. */
  abort(reason: Error): void {
    for (const run of this.#running.list()) {
      run.abort ??= new AbortController()
      run.abort.abort(reason)
    }
    this.deadlines.stop()
    this.#overdue.stop()
    this.#solitude.stop()
    this.#company.leave()
  }

  #endIdleWaits(): void {
    for (const resume of this.#idleWaiters.splice(0)) resume()
  }

  /** The place of its handler is free again, and so is its key. The consumer no longer has it, unless it is held again. */
  #leave(run: Run, returnsSoon: boolean): void {
    this.#leavePlace(run)
    this.#waiting.done(run)
    if (run.standing.kind === 'suspect') this.#suspects.left(returnsSoon)
  }

  /** It waits for another place, and its key for it: nothing of the key comes before it. */
  #putBack(run: Run): void {
    this.#leavePlace(run)
    run.abort = undefined
    if (run.standing.kind === 'free') this.#waiting.putBack(run)
    else this.#suspects.add(run)
  }

  #keep(run: Run, outcome: KeptOutcome): void {
    if (!run.delivery.isCurrent) return // its channel went while its handler ran
    if (outcome.kind === 'hold') this.holdUntil(run, outcome.untilMs, 'run')
    else this.holdUntil(run, outcome.atMs, 'give-back')
  }

  /** It could not leave without its turn, and now waits for it like any other. */
  #runInTurn(run: Run): void {
    run.orderKey = run.orderedBy
    run.ignoresLimit = true
    if (this.#isStarting) this.add(run)
    else this.#giveBack(run)
    this.pump()
  }

  /** Returns a run that is not in a handler to its queue. */
  #giveBack(run: Run): void {
    this.#parts.tell(run, giveBack(run))
  }

  /**
   * Starts what may be started when those that end just now have ended: what they have to say to the broker leaves with
   * one write, and not with one for each. Those that ended within the tick they began in are all there once this turn is
   * over; what comes from outside ends one by one, and the end of the tick is waited for.
   */
  #pumpAfter(run: Run): void {
    if (this.#isPumpDue || this.#waiting.size() + this.#suspects.size() === 0) return
    this.#isPumpDue = true
    if (run.startedTick === this.#tick) queueMicrotask(this.#pumpNow)
    else setImmediate(this.#pumpNow)
  }

  readonly #pumpNow = (): void => {
    this.#isPumpDue = false
    this.pump()
  }

  #takeNext(): Run | undefined {
    const firstAlone = this.#suspects.firstAlone()
    if (firstAlone) return this.#takeAlone(firstAlone)
    if (this.#waiting.size() + this.#suspects.size() === 0 || !this.#mayStart()) return undefined
    const suspect = this.#suspects.takeToMark()
    if (suspect) return suspect
    const run = this.#waiting.take()
    if (run === undefined || this.#parts.mayBegin(run)) return run
    this.#waiting.putFirst(run)
    return undefined
  }

  /** Nothing starts before it, here or elsewhere in the process, until it is done or its solitude is over. */
  #takeAlone(run: Run): Run | undefined {
    if (!this.#mayStart()) return undefined
    if (!this.#isSolitudeOver) {
      this.#company.claim()
      this.#solitude.setBy(this.#parts.options.clock.now() + longestSolitudeMs)
      if (!this.#company.isQuiet()) return undefined
    }
    if (!this.#parts.mayBegin(run)) return undefined
    this.#alone = run
    return this.#suspects.takeAlone()
  }

  /** Handlers of others may be what it waits for, or may take hours. */
  #endSolitude(): void {
    this.#isSolitudeOver = true
    this.#company.release()
    this.pump()
  }

  #leaveSolitude(): void {
    this.#alone = undefined
    this.#isSolitudeOver = false
    this.#solitude.stop()
    this.#company.release()
  }

  /** Its place is free, and so is the process if it was alone in it. */
  #leavePlace(run: Run): void {
    if (run.place !== -1) this.#company.ended()
    this.#running.delete(run)
    if (run === this.#alone) this.#leaveSolitude()
    if (this.#running.size() === 0) this.#endIdleWaits()
  }

  #removeWaiting(isRemoved: (run: Run) => boolean): Run[] {
    const removed = [...this.#waiting.removeWaiting(isRemoved), ...this.#suspects.removeWaiting(isRemoved)]
    if (!this.#alone && !this.#suspects.firstAlone()) this.#leaveSolitude()
    return removed
  }

  /** Suspects that wait for their turn hold up nothing; one that is to run alone does. */
  #isNext({ orderKey, standing }: Run): boolean {
    if (orderKey !== undefined || standing.kind !== 'free') return false
    return this.#waiting.size() === 0 && this.#suspects.firstAlone() === undefined
  }

  #mayStart(): boolean {
    if (!this.#hasBegun || !this.#isStarting || !this.#company.isFree()) return false
    if (this.#alone && !this.#isSolitudeOver) return false
    switch (this.#parts.breaker.kind()) {
      case 'closed':
        return this.#running.size() < this.#parts.options.concurrency
      case 'open':
        return false
      case 'probing':
        return !this.#running.list().some(({ probes }) => probes !== undefined)
    }
  }

  #startInTime(run: Run): void {
    const nowMs = this.#parts.options.clock.now()
    if (this.deadlines.isInTime(run, nowMs)) this.#start(run, nowMs, this.#parts.breaker.probes())
    else this.#giveBackLate(run)
  }

  /** It comes again with all of its time before it; those of its key behind it, so that their order stays. */
  #giveBackLate(run: Run): void {
    const { orderKey } = run
    this.#leavePlace(run)
    if (run.standing.kind === 'suspect') this.#suspects.left(false)
    const behind =
      orderKey === undefined ? [] : this.#waiting.removeWaiting((other) => other.orderKey === orderKey)
    this.#waiting.done(run)
    for (const late of [run, ...behind]) this.#giveBack(late)
  }

  #start(run: Run, nowMs: number, probes: Run['probes']): void {
    this.#running.add(run)
    this.#company.began()
    run.probes = probes
    run.startedTick = this.#currentTick()
    this.deadlines.begin(run, nowMs)
    this.#parts.handle(run)
  }

  #currentTick(): number {
    if (!this.#isTickEnding) {
      this.#isTickEnding = true
      setImmediate(() => {
        this.#isTickEnding = false
        this.#tick += 1
      })
    }
    return this.#tick
  }

  #runAgain(run: Run): void {
    run.abort = undefined
    this.#enqueue(run)
  }

  #enqueue(run: Run): void {
    if (run.standing.kind === 'free') this.#waiting.push(run)
    else {
      run.orderKey = undefined
      this.#suspects.add(run)
    }
    this.pump()
  }

  #overdueAt({ receivedAtMs }: Run): number {
    return receivedAtMs + this.#parts.options.longestHoldMs
  }

  /** Nothing is kept for so long that the broker would close the channel over it. */
  #giveBackOverdue(nowMs: number): void {
    const isOverdue = (run: Run): boolean => {
      const dueMs = this.#overdueAt(run)
      if (dueMs > nowMs) this.#overdue.setBy(dueMs)
      return dueMs <= nowMs
    }
    const overdue = [...this.#removeWaiting(isOverdue), ...this.held.removeAll(isOverdue)]
    // Those of a key that wait behind an overdue one go with it, so that their order stays.
    const keys = new Set(overdue.map(({ orderKey }) => orderKey))
    keys.delete(undefined)
    this.#giveBackInOrder([...overdue, ...this.#waiting.removeWaiting(({ orderKey }) => keys.has(orderKey))])
  }

  /** In the order of their delivery, because a quorum queue serves what is returned in the order of its return. */
  #giveBackInOrder(runs: Run[]): void {
    runs.sort((left, right) => left.delivery.deliveryTag - right.delivery.deliveryTag)
    for (const run of runs) this.#giveBack(run)
  }
}

/** It was let through to see whether handlers work again, and they do not: that costs it nothing. */
function isFailedProbe({ outcome }: DeliveryResult): boolean {
  return outcome.kind === 'hold' && outcome.why === 'probe-failed'
}

/** It was marked to run alone, and its copy is in flight to this queue. */
function isBackSoon({ kind, outcome }: DeliveryResult): boolean {
  return kind === 'settled' && outcome.kind === 'recount' && outcome.why === 'alone'
}
