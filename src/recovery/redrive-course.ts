import { createSetDigest, type SetDigest } from './digest-message.ts'
import { createMoveHistory, type MoveHistory } from './move-history.ts'
import type { OverLimitQueue } from './over-limit-queue.ts'
import { Pace } from './pace.ts'
import type { Interruption, RedriveOutcome } from './receipt.ts'
import type { RedriveOptions } from './redrive.ts'
import { RedriveLock } from './redrive-lock.ts'
import type { RedrivePass } from './redrive-pass.ts'
import { unlessAway } from './redrive-patience.ts'
import { RedriveTally } from './redrive-tally.ts'
import { RedriveWait } from './redrive-wait.ts'

/** Taken and not acknowledged. As many as Shovel takes; with 2000 a prototype was half as fast on 4.0.5. */
const defaultWindow = { messages: 1000, bytes: 16 * 1024 * 1024 }
const defaultWaitMs = 10 * 60_000
/** Who was told to stop waits so long for a broker that is away. */
const patienceMs = 2_000
const abandonEveryMs = 250

/** What one run knows over all its passes and connections, and whether it is to stop. */
export class RedriveCourse {
  readonly id: string
  readonly options: RedriveOptions
  readonly window: { readonly messages: number; readonly bytes: number }
  readonly startedAtMs: number = Date.now()
  readonly #startedAt = performance.now()
  readonly tally: RedriveTally = new RedriveTally()
  readonly digest: SetDigest = createSetDigest()
  readonly recent: MoveHistory
  readonly lock: RedriveLock
  readonly pace: Pace
  readonly wait: RedriveWait
  /** The one that is under way. */
  pass: RedrivePass | undefined
  /** In the queue at the start. */
  present = 0
  otherConsumers = 0
  isWatching = false
  /** What went wrong, in words, where an error ended it. */
  problem: string | undefined
  #stopped: RedriveOutcome | undefined
  #interruption: Interruption | undefined
  readonly #patience = new AbortController()
  #patienceTimer: NodeJS.Timeout | undefined

  constructor(options: RedriveOptions, id: string) {
    this.id = id
    this.options = options
    this.window = { ...defaultWindow, ...options.window }
    this.recent = createMoveHistory(this.window.messages * 2)
    this.lock = new RedriveLock({ id, options, patience: this.#patience.signal })
    this.pace = new Pace(options.ratePerSecond, () => this.pass?.pump())
    const { consuming, publishing, waitMs = defaultWaitMs, onWait } = options
    this.wait = new RedriveWait({
      ...{ consuming, publishing, waitMs, onWait },
      movedCount: () => this.tally.moved,
      isPaused: () => this.pace.isPaused,
      onSendable: (isSendable) => {
        this.pace.hold(!isSendable)
        if (!isSendable) this.#abandonIfAway()
      },
      onOver: () => this.#endWait(),
    })
  }

  /** Why it is to stop; undefined: it is to go on. */
  get stopped(): RedriveOutcome | undefined {
    return this.#stopped
  }

  get interruption(): Interruption | undefined {
    return this.#interruption
  }

  /** By a clock that nobody sets. */
  get elapsedMs(): number {
    return performance.now() - this.#startedAt
  }

  /** Takes no more; what is under way is finished. */
  stop(outcome: RedriveOutcome): void {
    this.#stopped ??= outcome
    this.#patienceTimer ??= setTimeout(() => this.#losePatience(), patienceMs)
    this.pass?.cancel()
  }

  /** It has waited for the broker for as long as it was to. */
  #endWait(): void {
    if (this.#stopped === undefined) this.#interruption ??= 'away'
    this.stop('interrupted')
    this.#losePatience()
  }

  #losePatience(): void {
    if (this.patience.aborted) return
    this.#patience.abort()
    this.#abandonIfAway()
    clearTimeout(this.#patienceTimer)
    // A pass does not let go while a copy is under way, and is asked again.
    this.#patienceTimer = setInterval(() => this.#abandonIfAway(), abandonEveryMs)
  }

  /** Who is told to stop does not wait either for answers that nobody can give. */
  #abandonIfAway(): void {
    if (this.patience.aborted && !this.wait.isSendable) this.pass?.abandon()
  }

  interrupt(interruption: Interruption): RedriveOutcome {
    this.#interruption = interruption
    return 'interrupted'
  }

  /** What was moved is accounted for, whatever went wrong then. Rethrows where nothing was. */
  endWith(error: unknown): RedriveOutcome {
    if (this.tally.moved === 0) throw error
    this.problem = error instanceof Error ? error.message : String(error)
    return this.interrupt('failed')
  }

  /** Aborted a while after it was told to stop: nobody waits any longer for a broker that is away. */
  get patience(): AbortSignal {
    return this.#patience.signal
  }

  /** What comes of work; `away` where it was told to stop and the broker stays away. */
  unlessAway<Value>(work: Promise<Value>): Promise<Value | 'away'> {
    return unlessAway(work, { session: this.options.consuming, patience: this.patience })
  }

  /** What the queue should hold of those that were in it at the start. */
  expected(aside: Pick<OverLimitQueue, 'count'>): number {
    return this.present - this.tally.moved - aside.count
  }

  end(): void {
    this.wait.close()
    this.pace.stop()
    clearTimeout(this.#patienceTimer)
  }
}
