import { EventHeap, type SimEvent } from './event-heap.ts'
import type { Random } from './random.ts'
import { SimProcess } from './sim-process.ts'
import { Trace } from './trace.ts'

/** A turn of an event loop comes up to this much later: that is where processes overtake each other. */
const turnJitterMs = 0.02
/** So many events happen before the real event loop gets a turn. */
const eventsPerTurn = 20_000

/**
 * The one loop of the world. It runs one event at a time, and lets everything that follows from it without waiting
 * (the microtasks) come to an end before the next: so all of that belongs to the event's process.
 */
export class SimLoop {
  nowMs = 0
  current: SimProcess
  readonly trace = new Trace()
  readonly #heap = new EventHeap()
  readonly #random: Random
  #planned = 0

  constructor(random: Random) {
    this.#random = random
    this.current = new SimProcess('world')
  }

  /** Runs `task` in `process` at that moment, unless it is dead then. */
  at(dueMs: number, process: SimProcess, kind: string, run: () => void): SimEvent {
    this.#planned += 1
    const event = { process, kind, dueMs: Math.max(this.nowMs, dueMs), number: this.#planned, run }
    this.#heap.push(event)
    return event
  }

  after(delayMs: number, process: SimProcess, kind: string, run: () => void): SimEvent {
    return this.at(this.nowMs + delayMs, process, kind, run)
  }

  /** In the next turn of its event loop, behind those that are planned. */
  soon(process: SimProcess, kind: string, run: () => void): SimEvent {
    const dueMs = Math.max(process.lastTurnMs, this.nowMs + this.#random.next() * turnJitterMs)
    process.lastTurnMs = dueMs
    return this.at(dueMs, process, kind, run)
  }

  /** What is planned and would keep its process alive. */
  pending(process: SimProcess, kind: string): number {
    return this.#heap.list().filter((event) => event.run && event.process === process && event.kind === kind)
      .length
  }

  /** Lets the world go on until `isOver`, or until nothing is planned any more. */
  async run(isOver: () => boolean): Promise<void> {
    for (let isDone = false; !isDone; ) {
      isDone = await this.#runSome(isOver)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  #runSome(isOver: () => boolean): Promise<boolean> {
    return new Promise((resolve, reject) => {
      let left = eventsPerTurn
      // Node makes an object for each task of `queueMicrotask`, and none for this.
      const turn = Promise.resolve()
      const step = (): void => {
        try {
          const isDone = isOver() || !this.#dropVoid()
          left -= 1
          if (isDone || left === 0) resolve(isDone)
          else {
            this.#runNext()
            void turn.then(next)
          }
        } catch (error) {
          reject(error)
        }
      }
      // Node empties its queue of microtasks before it takes the next tick: nothing of this event is left then.
      const next = (): void => process.nextTick(step)
      next()
    })
  }

  /** Forgets what comes next, as long as nothing happens in it; false: nothing is planned any more. */
  #dropVoid(): boolean {
    for (let event = this.#heap.first; event; event = this.#heap.first) {
      if (event.run !== undefined && event.process.isAlive) return true
      this.#heap.pop()
    }
    return false
  }

  #runNext(): void {
    const event = this.#heap.pop()!
    const { run, process } = event
    if (run === undefined) return
    if (process.pausedUntilMs > event.dueMs) {
      event.dueMs = process.pausedUntilMs
      this.#heap.push(event)
      return
    }
    event.run = undefined
    this.nowMs = event.dueMs
    this.current = process
    this.trace.add(`${this.nowMs} ${process.name} ${event.kind}`)
    run()
  }
}
