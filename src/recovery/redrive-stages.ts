import { type Canary, nextStageLimit } from './plan-redrive-stages.ts'

export interface StageTask {
  readonly canary: Canary | undefined
  /** Says whether to go on; asked while nothing is under way. `isStageEnd` is false when it was asked for by `hold`. */
  readonly check: (isStageEnd: boolean) => Promise<'go-on' | 'stop'>
  /** It is worth asking again. */
  readonly onRoom: () => void
  readonly onStop: () => void
  readonly onError: (error: unknown) => void
}

/**
 * Lets messages go in stages and has a look in between. The pass stays open meanwhile and keeps what it holds,
 * for as long as messages may be held: giving it back would put it behind messages that others have looked at.
 */
export class StageGate {
  readonly #task: StageTask
  #limit: number
  #sent = 0
  #underWay = 0
  #isWanted = false
  #isChecking = false
  #waiting: (() => void)[] = []

  constructor(task: StageTask) {
    this.#task = task
    this.#limit = nextStageLimit({ sent: 0, canary: task.canary })
  }

  /** True: one may go. False: `onRoom` or `onStop` is called later. */
  take(): boolean {
    if (this.#sent < this.#limit && !this.#isWanted && !this.#isChecking) {
      this.#sent += 1
      this.#underWay += 1
      return true
    }
    this.#askWhenIdle()
    return false
  }

  /** A look is under way. */
  get isLooking(): boolean {
    return this.#isChecking
  }

  /** Resolves when no look is under way. */
  whenOpen(): Promise<void> {
    if (!this.#isChecking) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** One that was let through has its answer. */
  settled(): void {
    this.#underWay -= 1
    if (this.#isWanted) this.#askWhenIdle()
  }

  /** Something looks wrong: lets nothing go before it was looked at. */
  hold(): void {
    this.#askWhenIdle()
  }

  #askWhenIdle(): void {
    this.#isWanted = true
    if (this.#isChecking || this.#underWay > 0) return
    this.#isChecking = true
    this.#ask().catch((error: unknown) => this.#task.onError(error))
  }

  async #ask(): Promise<void> {
    const isStageEnd = this.#sent >= this.#limit
    try {
      const verdict = await this.#task.check(isStageEnd)
      if (isStageEnd) this.#limit = nextStageLimit({ sent: this.#sent, canary: this.#task.canary })
      if (verdict === 'stop') this.#task.onStop()
    } finally {
      this.#isChecking = false
      this.#isWanted = false
      for (const resume of this.#waiting.splice(0)) resume()
    }
    this.#task.onRoom()
  }
}
