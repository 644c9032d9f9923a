/** A process of the simulated world. All that it plans carries its name, and is void when it is dead. */
export class SimProcess {
  readonly name: string
  isAlive = true
  /** Nothing happens in it before. */
  pausedUntilMs = 0
  /** How far its wall clock is off. */
  clockOffsetMs = 0
  /** Turns of its event loop are taken in their order. */
  lastTurnMs = 0
  readonly #onDeath: (() => void)[] = []
  readonly #own = new Map<string, unknown>()

  constructor(name: string) {
    this.name = name
  }

  /** What a process has once: the library's modules are shared by all of them here. */
  own<Value>(name: string, create: () => Value): Value {
    if (!this.#own.has(name)) this.#own.set(name, create())
    return this.#own.get(name) as Value
  }

  pause(untilMs: number): void {
    this.pausedUntilMs = Math.max(this.pausedUntilMs, untilMs)
  }

  onDeath(task: () => void): void {
    this.#onDeath.push(task)
  }

  /** As by kill -9. */
  kill(): void {
    if (!this.isAlive) return
    this.isAlive = false
    for (const task of this.#onDeath.splice(0)) task()
  }
}
