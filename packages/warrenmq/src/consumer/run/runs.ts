import { ConsumerError } from '../../errors.ts'
import type { SettledConsumerOptions } from '../settle-consumer-options.ts'
import { type Alarm, createAlarm } from './alarm.ts'
import type { Breaker } from './breaker.ts'
import { createHolds, type Holds } from './holds.ts'
import { pause } from './pause.ts'
import { createPlacedSet, type PlacedSet } from './placed-set.ts'
import type { Run } from './run.ts'
import { interruptRun } from './run-handler.ts'
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
  /** May it begin now? Where not, `pump` is called once it may. */
  readonly mayBegin: (run: Run) => boolean
  /** Takes a run to its outcome, and says so by `ended`, at once or later. */
  readonly handle: (run: Run) => void
  /** Returns a run that is not in a handler to its queue. */
  readonly giveBack: (run: Run) => void
}

/** So long others wait for one that is alone, or that waits to be: its handler may wait for one of theirs, in milliseconds. */
const longestSolitudeMs = 30_000

/** The runs that a consumer has in hand: those that wait for a place, those in a handler, those held for later. */
export class Runs {
  readonly #parts: RunsParts
  readonly #waiting: RunQueue<Run> = createRunQueue<Run>((run) => run.orderKey)
  readonly #running: PlacedSet<Run> = createPlacedSet<Run>()
  readonly #holds: Holds<Run>
  readonly #suspects: Suspects
  readonly #company: Company
  /** Of the one that runs alone, or waits to. */
  readonly #solitude: Alarm
  #alone: Run | undefined
  #isSolitudeOver = false
  /** For handlers that take too long, and for what is kept too long: timers per message would cost too much. */
  readonly #timeouts: Alarm
  readonly #overdue: Alarm
  #hasBegun = false
  #isStarting = true
  #isPumping = false
  #isPumpDue = false
  #tick = 0
  #isTickEnding = false
  #idle: (() => void) | undefined

  constructor(parts: RunsParts) {
    this.#parts = parts
    const { clock } = parts.options
    this.#holds = createHolds(clock)
    this.#suspects = createSuspects({ clock, mayGoOn: () => this.pump() })
    this.#company = (parts.solitude ?? processSolitude).join(() => this.pump())
    this.#solitude = createAlarm(clock, () => this.#endSolitude())
    this.#timeouts = createAlarm(clock, (nowMs) => this.#timeOutLate(nowMs))
    this.#overdue = createAlarm(clock, (nowMs) => this.#giveBackOverdue(nowMs))
  }

  get counts(): { readonly waiting: number; readonly running: number; readonly held: number } {
    const waiting = this.#waiting.size + this.#suspects.size
    return { waiting, running: this.#running.size, held: this.#holds.size }
  }

  get heldCount(): number {
    return this.#holds.size
  }

  /** Takes a run over; it is started as soon as there is a place. */
  add(run: Run): void {
    this.#overdue.setBy(this.#overdueAt(run))
    // Most find a place at once, and need not stand in a line of none.
    if (this.#isNext(run) && this.#mayStart() && this.#parts.mayBegin(run))
      this.#start(run, this.#parts.options.clock.now(), this.#parts.breaker.probes)
    else this.#enqueue(run)
  }

  /** Takes a run over that has to leave at once and needs no handler: it waits for no place, no breaker and no key. */
  addUrgent(run: Run): void {
    if (!this.#hasBegun) this.#enqueue(run)
    else this.#start(run, this.#parts.options.clock.now(), undefined)
  }

  /** Keeps a run that is in no handler until its time. */
  holdUntil(run: Run, untilMs: number, then: 'run' | 'give-back'): void {
    if (!this.#isStarting) {
      this.#parts.giveBack(run)
      return
    }
    this.#overdue.setBy(this.#overdueAt(run))
    this.#holds.add(run, untilMs, () => (then === 'run' ? this.#runAgain(run) : this.#parts.giveBack(run)))
  }

  /** From now on runs are started; until then they wait. */
  begin(): void {
    this.#hasBegun = true
    this.pump()
  }

  /** Starts what may be started. */
  pump(): void {
    // A handler that is done at once ends within the loop, which goes on with the place it leaves.
    if (this.#isPumping) return
    this.#isPumping = true
    for (let run = this.#takeNext(); run; run = this.#takeNext()) this.#startInTime(run)
    this.#isPumping = false
  }

  /**
   * The same, when those that end just now have ended: what they have to say to the broker leaves with one write, and not
   * with one for each. Those that ended within the tick they began in are all there once this turn is over; what comes
   * from outside ends one by one, and the end of the tick is waited for.
   */
  pumpAfter(run: Run): void {
    if (this.#isPumpDue || this.#waiting.size + this.#suspects.size === 0) return
    this.#isPumpDue = true
    if (run.startedTick === this.#tick) queueMicrotask(this.#pumpNow)
    else setImmediate(this.#pumpNow)
  }

  /** Its handler, which waited for something else than a place, begins. False where it could not have its time any more. */
  beginsNow(run: Run): boolean {
    const { clock, startWithinMs } = this.#parts.options
    const nowMs = clock.now()
    if (nowMs > run.receivedAtMs + startWithinMs) return false
    run.startedAtMs = nowMs
    this.#timeouts.setBy(this.#handlerDueAt(run, nowMs))
    return true
  }

  /** Its handler's place is free again, and it is not in hand any more unless it is held anew. */
  ended(run: Run, { isBackSoon = false }: { readonly isBackSoon?: boolean } = {}): void {
    this.#leavePlace(run)
    this.#waiting.done(run)
    if (run.standing.kind === 'suspect') this.#suspects.left(isBackSoon)
  }

  /** Like `ended`, but it waits for another place, and its key for it: nothing of the key comes before it. */
  putBack(run: Run): void {
    this.#leavePlace(run)
    run.abort = undefined
    if (run.standing.kind === 'free') this.#waiting.putBack(run)
    else this.#suspects.add(run)
  }

  /** Forgets those whose channel is gone; the broker has them back. Gives those that are still in a handler. */
  dropStale(): readonly Run[] {
    const isStale = ({ delivery }: Run) => !delivery.isCurrent
    this.#removeWaiting(isStale)
    this.#holds.removeAll(isStale)
    return this.#running.list().filter(isStale)
  }

  /** Starts no more from now on. */
  stopStarting(): void {
    this.#isStarting = false
  }

  giveBackUnstarted(): void {
    this.#giveBackInOrder([...this.#removeWaiting(() => true), ...this.#holds.removeAll(() => true)])
  }

  /** Resolves when no handler runs any more, or after the deadline. */
  async whenIdle(deadlineMs: number): Promise<void> {
    if (this.#running.size === 0) return
    const idle = new Promise<void>((resolve) => {
      this.#idle = resolve
    })
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
    this.#timeouts.stop()
    this.#overdue.stop()
    this.#solitude.stop()
    this.#company.leave()
  }

  readonly #pumpNow = (): void => {
    this.#isPumpDue = false
    this.pump()
  }

  #takeNext(): Run | undefined {
    if (this.#suspects.firstAlone) return this.#takeAlone(this.#suspects.firstAlone)
    if (this.#waiting.size + this.#suspects.size === 0 || !this.#mayStart()) return undefined
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
      if (!this.#company.isQuiet) return undefined
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
    if (this.#running.size === 0) this.#idle?.()
  }

  #removeWaiting(isRemoved: (run: Run) => boolean): Run[] {
    const removed = [...this.#waiting.removeWaiting(isRemoved), ...this.#suspects.removeWaiting(isRemoved)]
    if (!this.#alone && !this.#suspects.firstAlone) this.#leaveSolitude()
    return removed
  }

  /** Suspects that wait for their turn hold up nobody; one that is to be alone does. */
  #isNext({ orderKey, standing }: Run): boolean {
    if (orderKey !== undefined || standing.kind !== 'free') return false
    return this.#waiting.size === 0 && this.#suspects.firstAlone === undefined
  }

  #mayStart(): boolean {
    if (!this.#hasBegun || !this.#isStarting || !this.#company.isFree) return false
    if (this.#alone && !this.#isSolitudeOver) return false
    switch (this.#parts.breaker.kind) {
      case 'closed':
        return this.#running.size < this.#parts.options.concurrency
      case 'open':
        return false
      case 'probing':
        return !this.#running.list().some(({ probes }) => probes !== undefined)
    }
  }

  #startInTime(run: Run): void {
    const { clock, startWithinMs } = this.#parts.options
    const nowMs = clock.now()
    if (nowMs <= run.receivedAtMs + startWithinMs) this.#start(run, nowMs, this.#parts.breaker.probes)
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
    for (const late of [run, ...behind]) this.#parts.giveBack(late)
  }

  #start(run: Run, nowMs: number, probes: Run['probes']): void {
    this.#running.add(run)
    this.#company.began()
    run.probes = probes
    run.startedAtMs = nowMs
    run.startedTick = this.#currentTick()
    this.#timeouts.setBy(this.#handlerDueAt(run, nowMs))
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
    else this.#suspects.add(run.orderKey === undefined ? run : { ...run, orderKey: undefined })
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
    const overdue = [...this.#removeWaiting(isOverdue), ...this.#holds.removeAll(isOverdue)]
    // Those of a key that wait behind an overdue one go with it, so that their order stays.
    const keys = new Set(overdue.map(({ orderKey }) => orderKey))
    keys.delete(undefined)
    this.#giveBackInOrder([...overdue, ...this.#waiting.removeWaiting(({ orderKey }) => keys.has(orderKey))])
  }

  /** In the order of their delivery, because a quorum queue serves what is returned in the order of its return. */
  #giveBackInOrder(runs: Run[]): void {
    runs.sort((left, right) => left.delivery.deliveryTag - right.delivery.deliveryTag)
    for (const run of runs) this.#parts.giveBack(run)
  }

  #handlerDueAt(run: Run, startedAtMs: number): number {
    return Math.min(startedAtMs + this.#parts.options.timeoutMs, this.#overdueAt(run))
  }

  #timeOutLate(nowMs: number): void {
    for (const run of this.#running.list()) {
      const startedAtMs = run.startedAtMs ?? nowMs
      const dueMs = this.#handlerDueAt(run, startedAtMs)
      if (dueMs > nowMs) this.#timeouts.setBy(dueMs)
      else if (run.give) interruptRun(run, this.#lateError(dueMs - startedAtMs))
    }
  }

  #lateError(allowedMs: number): ConsumerError {
    const message = `The handler of "${this.#parts.queue}" did not end within ${allowedMs} ms.`
    return new ConsumerError({ code: 'HANDLER_TIMEOUT', message })
  }
}
