/** Lets so many through per second, and none while it is paused or held. */
export class Pace {
  readonly #perSecond: number
  readonly #onRoom: () => void
  #tokens = 0
  #filledAt = performance.now()
  #timer: NodeJS.Timeout | undefined
  #isPaused = false
  #isHeld = false
  #waiting: (() => void)[] = []

  constructor(perSecond: number | undefined, onRoom: () => void) {
    this.#perSecond = perSecond ?? Number.POSITIVE_INFINITY
    this.#onRoom = onRoom
  }

  /** True: one may go now. False: `onRoom` is called when it is worth asking again. */
  take(): boolean {
    if (this.#isPaused || this.#isHeld) return false
    if (this.#perSecond === Number.POSITIVE_INFINITY) return true
    this.#fill()
    if (this.#tokens >= 1) {
      this.#tokens -= 1
      return true
    }
    const waitMs = Math.max(1, Math.ceil(((1 - this.#tokens) / this.#perSecond) * 1000))
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#onRoom()
    }, waitMs)
    return false
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    for (const resume of this.#waiting.splice(0)) resume()
    this.#onRoom()
  }

  /** Not a pause, which a person makes and ends: the line takes nothing just now. */
  hold(isHeld: boolean): void {
    if (this.#isHeld === isHeld) return
    this.#isHeld = isHeld
    if (!isHeld) this.#onRoom()
  }

  /** Resolves when it is not paused, or stopped. */
  whenRunning(): Promise<void> {
    if (!this.#isPaused) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.resume()
  }

  /** Never more than a tenth of a second's worth at once, so that a rate is a rate and not a burst. */
  #fill(): void {
    const now = performance.now()
    const burst = Math.max(1, this.#perSecond / 10)
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#filledAt) / 1000) * this.#perSecond)
    this.#filledAt = now
  }
}
