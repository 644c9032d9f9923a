import type { Session } from '../broker/amqp/session.ts'

export interface WaitTask {
  readonly consuming: Session
  readonly publishing: Session
  /** So long at most; then `onOver` is called. */
  readonly waitMs: number
  /** So many are moved by now: whoever moves messages does not wait. */
  readonly movedCount: () => number
  /** Told every second while it waits. */
  readonly onWait: ((waitingMs: number) => void) | undefined
  /** Whether anything may be published: what is sent to a broker with an alarm is not read before the alarm is over. */
  readonly onSendable: (isSendable: boolean) => void
  readonly onOver: () => void
  /** While it is paused nothing is wanted of the broker, and so nothing is waited for. */
  readonly isPaused: () => boolean
}

/**
 * What a re-drive waits for. `consuming`, `publishing`: a connection. `alarm`: the broker reads no publishes.
 * `queue`: the queue is there and cannot be reached, because its node is down or it has no leader.
 */
export type AwaitedThing = 'consuming' | 'publishing' | 'alarm' | 'queue'

const tickMs = 1_000

/** How long a re-drive has waited for its broker, and when that is too long. */
export class RedriveWait {
  readonly #task: WaitTask
  readonly #awaited = new Set<AwaitedThing>()
  readonly #stopListening: readonly (() => void)[]
  #since = 0
  #lineWaits = 0
  #movedBefore = 0
  #timer: NodeJS.Timeout | undefined

  constructor(task: WaitTask) {
    const { consuming, publishing } = task
    this.#task = task
    this.#stopListening = [
      consuming.events.on('disconnected', () => this.begin('consuming')),
      consuming.events.on('connected', () => this.end('consuming')),
      publishing.events.on('disconnected', () => this.begin('publishing')),
      publishing.events.on('connected', () => this.end('publishing', 'alarm')),
      publishing.events.on('blocked', () => this.begin('alarm')),
      publishing.events.on('unblocked', () => this.end('alarm')),
    ]
    if (!consuming.connection) this.begin('consuming')
    if (!publishing.connection) this.begin('publishing')
    if (publishing.blockedReason !== undefined) this.begin('alarm')
  }

  /** Undefined: it does not wait. */
  get waitingMs(): number | undefined {
    return this.#awaited.size === 0 ? undefined : performance.now() - this.#since
  }

  /** How often there was no line to publish on, or an alarm, so far. */
  get lineWaits(): number {
    return this.#lineWaits
  }

  /** There is a line to publish on, and no alarm. */
  get isSendable(): boolean {
    return !this.#awaited.has('alarm') && !this.#awaited.has('publishing')
  }

  begin(thing: AwaitedThing): void {
    if (thing === 'publishing' || thing === 'alarm') this.#lineWaits += 1
    if (this.#awaited.size === 0) {
      this.#since = performance.now()
      this.#timer = setInterval(() => this.#tick(), Math.min(tickMs, this.#task.waitMs))
    }
    this.#movedBefore = this.#task.movedCount()
    this.#awaited.add(thing)
    this.#tellSendable()
  }

  end(...things: readonly AwaitedThing[]): void {
    for (const thing of things) this.#awaited.delete(thing)
    if (this.#awaited.size === 0) clearInterval(this.#timer)
    this.#tellSendable()
  }

  /** A pause is over: what was away meanwhile is waited for from now on. */
  restart(): void {
    this.#since = performance.now()
  }

  /** Nobody waits for anything any more. */
  close(): void {
    for (const stop of this.#stopListening) stop()
    clearInterval(this.#timer)
  }

  #tick(): void {
    const { movedCount, waitMs, onWait, onOver, isPaused } = this.#task
    if (isPaused()) this.#since = performance.now()
    if (movedCount() > this.#movedBefore) this.end('queue')
    const { waitingMs } = this
    if (waitingMs === undefined || isPaused()) return
    onWait?.(waitingMs)
    if (waitingMs >= waitMs) onOver()
  }

  #tellSendable(): void {
    this.#task.onSendable(this.isSendable)
  }
}
