import { setTimeout as sleep } from 'node:timers/promises'
import { inspectQueue } from '../broker/amqp/operations.ts'
import type { Session } from '../broker/amqp/session.ts'
import { withChannel } from './with-channel.ts'

const longestElectionMs = 10_000
const askEveryMs = 100

/** The targets that refused messages of a pass. */
export class RedriveRefusals {
  readonly #queues = new Set<string>()
  #isAmbiguous = false
  #retries = 0
  #closures = 0

  /** Passes that were made because of refusals. */
  get retries(): number {
    return this.#retries
  }

  /** Each refused message was meant for one queue, which has not taken it; of several some may have. */
  get isRetriable(): boolean {
    return this.#queues.size > 0 && !this.#isAmbiguous
  }

  /** Messages of this pass that failed because the broker closed the channel. */
  get closures(): number {
    return this.#closures
  }

  startPass(): void {
    this.#closures = 0
    this.#queues.clear()
    this.#isAmbiguous = false
  }

  /** A message for these queues was refused. */
  add(queues: readonly string[]): void {
    if (queues.length !== 1) this.#isAmbiguous = true
    for (const queue of queues) this.#queues.add(queue)
  }

  addClosure(): void {
    this.#closures += 1
  }

  /** Waits until the targets have leaders, as far as can be told: one without says that it holds nothing. */
  async retry(session: Session): Promise<void> {
    this.#retries += 1
    const giveUpAt = performance.now() + longestElectionMs
    for (const queue of this.#queues) {
      while (performance.now() < giveUpAt && !(await isLed(session, queue))) {
        await sleep(askEveryMs)
      }
    }
  }
}

async function isLed(session: Session, queue: string): Promise<boolean> {
  try {
    const { messageCount, consumerCount } = await withChannel(session, (channel) =>
      inspectQueue(channel, queue),
    )
    return messageCount > 0 || consumerCount > 0
  } catch {
    return true // gone with its queue or its line, and the next pass tells which
  }
}
