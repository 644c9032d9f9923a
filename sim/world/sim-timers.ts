import { longestTimerMs } from '../../packages/warrenmq/src/clock.ts'
import type { SimEvent } from './event-heap.ts'
import type { SimLoop } from './sim-loop.ts'
import type { SimProcess } from './sim-process.ts'

/** A timer of Node, as far as the library uses it. */
export class SimTimer {
  readonly process: SimProcess
  readonly #timers: SimTimers
  readonly #delayMs: number
  readonly #task: () => void
  readonly #repeats: boolean
  #event: SimEvent | undefined
  #isReferenced = true

  constructor(timers: SimTimers, fields: { delayMs: number; repeats: boolean; task: () => void }) {
    this.#timers = timers
    this.process = timers.loop.current
    this.#delayMs = fields.delayMs
    this.#repeats = fields.repeats
    this.#task = fields.task
    this.#start()
  }

  unref(): this {
    this.#isReferenced = false
    return this
  }

  ref(): this {
    this.#isReferenced = true
    return this
  }

  hasRef(): boolean {
    return this.#isReferenced
  }

  /** It begins anew, as Node's does. */
  refresh(): this {
    if (this.#event) this.#event.run = undefined
    this.#start()
    return this
  }

  stop(): void {
    if (this.#event) this.#event.run = undefined
    this.#event = undefined
    this.#timers.running.delete(this)
  }

  #start(): void {
    this.#timers.running.add(this)
    this.#event = this.#timers.loop.after(this.#delayMs, this.process, 'timer', () => {
      this.#timers.running.delete(this)
      this.#event = undefined
      if (this.#repeats) this.#start()
      this.#task()
    })
  }
}

/** The timers of all processes. */
export class SimTimers {
  readonly loop: SimLoop
  readonly running = new Set<SimTimer>()

  constructor(loop: SimLoop) {
    this.loop = loop
  }

  start(task: () => void, delayMs: number | undefined, repeats: boolean): SimTimer {
    const wanted = Math.trunc(Number(delayMs ?? 1))
    const isUsual = wanted >= 1 && wanted <= longestTimerMs
    return new SimTimer(this, { delayMs: isUsual ? wanted : 1, repeats, task })
  }

  stop(timer: unknown): void {
    if (timer instanceof SimTimer) timer.stop()
  }

  /** What would keep the process alive. */
  keepAlive(process: SimProcess): number {
    return [...this.running].filter((timer) => timer.process === process && timer.hasRef()).length
  }
}
