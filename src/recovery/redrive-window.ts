export interface WindowTask {
  /** Taken and not acknowledged. */
  readonly messages: number
  /** Published without an answer. */
  readonly bytes: number
  /** Confirmed, but the broker is not told yet: there twice if this process dies now. */
  readonly lateAcks: () => number
}

/** What is published and has no answer yet, and how much more may be. */
export class RedriveWindow {
  readonly #task: WindowTask
  #count = 0
  #bytes = 0

  constructor(task: WindowTask) {
    this.#task = task
  }

  /** Below zero is possible too: what was abandoned has its answer after all. */
  get isEmpty(): boolean {
    return this.#count <= 0
  }

  get isFull(): boolean {
    const { messages, bytes, lateAcks } = this.#task
    return this.#count + lateAcks() >= messages || this.#bytes >= bytes
  }

  start(bytes: number): void {
    this.#count += 1
    this.#bytes += bytes
  }

  finish(bytes: number): void {
    this.#count -= 1
    this.#bytes -= bytes
  }

  /** Nobody waits for the answers any more; so many were under way. */
  abandon(): number {
    const abandoned = this.#count
    this.#count = 0
    return abandoned
  }
}
