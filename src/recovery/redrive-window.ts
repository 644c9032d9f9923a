export interface WindowTask {
  /** Taken and not acknowledged. */
  readonly messages: number
  /** Published without an answer. */
  readonly bytes: number
  /** No more than these can wait to be published. */
  readonly prefetch: number
  /** Confirmed, but the broker is not told yet: there twice if this process dies now. */
  readonly lateAcks: () => number
}

/**
 * Of a large window: while so many are published without an answer, the others are on their way to us or acknowledged.
 * More would cost memory and CPU, and no broker was quicker for it.
 */
const sendingShare = 0.6
const smallWindow = 400

/** What is published and has no answer yet, and how much more may be. */
export class RedriveWindow {
  readonly #task: WindowTask
  readonly #mostSending: number
  readonly #batch: number
  #count = 0
  #bytes = 0

  constructor(task: WindowTask) {
    const { messages } = task
    this.#task = task
    this.#mostSending = Math.max(Math.min(messages, smallWindow), Math.ceil(messages * sendingShare))
    this.#batch = Math.max(1, Math.floor(Math.min(this.#mostSending, task.prefetch) / 8))
  }

  /** Below zero is possible too: what was abandoned has its answer after all. */
  get isEmpty(): boolean {
    return this.#count <= 0
  }

  get isFull(): boolean {
    return this.#room <= 0 || this.#bytes >= this.#task.bytes
  }

  /** Many small writes cost more CPU than few large ones. Are so many of these worth a write? */
  isWorthwhile(waiting: number): boolean {
    return Math.min(waiting, this.#room) >= this.#batch
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

  get #room(): number {
    const { messages, lateAcks } = this.#task
    return Math.min(this.#mostSending, messages - lateAcks()) - this.#count
  }
}
