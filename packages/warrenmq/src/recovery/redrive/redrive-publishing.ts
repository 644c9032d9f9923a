import { ownSleep } from '../../own-timer.ts'
import type { EncodedMessage } from '../../publisher/outgoing-message.ts'
import type { PublishResult } from '../../publisher/publish-result.ts'
import type { Publisher } from '../../publisher/publisher.ts'
import { createSetDigest } from '../receipt/set-digest.ts'
import { awaitLeaders } from './await-leaders.ts'
import { countTargets } from './count-targets.ts'
import type { EventQueue } from './event-queue.ts'
import { describeFailure } from './failed-publish.ts'
import { readFailure } from './read-failure.ts'
import type { RedriveOptions } from './redrive-options.ts'
import type { RedrivePreparation } from './redrive-preparation.ts'
import type { PublishStep } from './redrive-rules.ts'
import type { RedriveState } from './redrive-state.ts'
import type { RedriveTally } from './redrive-tally.ts'
import type { Taken } from './taken.ts'

export interface PublishingTask {
  readonly options: Pick<RedriveOptions, 'publishing'>
  readonly publisher: Publisher
  readonly preparation: RedrivePreparation
  readonly tally: RedriveTally
  readonly state: () => RedriveState<Taken>
  readonly events: EventQueue<Taken>
  /** A message that cannot be encoded ends the run. */
  readonly tellFailure: (error: unknown) => void
}

const countAgainMs = 20

/** The side of a re-drive that publishes: it sends messages, counts what is confirmed, and waits for its targets. */
export class RedrivePublishing {
  readonly #task: PublishingTask
  readonly #digest = createSetDigest()

  constructor(task: PublishingTask) {
    this.#task = task
  }

  /** Of what was confirmed. */
  get digest(): string {
    return this.#digest.text()
  }

  publish(messages: readonly Taken[]): void {
    const { publisher, preparation, events, tellFailure } = this.#task
    const rules = preparation.rules!
    // One after the other in a single write to the connection.
    for (const message of messages) {
      try {
        const encoded = rules.encode(message.delivery, message.step as PublishStep)
        publisher.publishEncoded(encoded, (result) => this.#answered(message, encoded, result))
      } catch (error) {
        tellFailure(error) // it cannot be encoded
        events.tell({ kind: 'unanswered', message, cause: 'unsent', mayBeThere: false })
      }
    }
  }

  #answered(message: Taken, encoded: EncodedMessage, result: PublishResult): void {
    const { preparation, events } = this.#task
    if (result.kind === 'confirmed') {
      this.#countPublish(message, encoded)
      events.gather('confirmed', message)
      return
    }
    const rules = preparation.rules!
    const address = message.step as PublishStep
    const failure = describeFailure(address, result)
    message.failure = failure
    if (failure.largestBytes !== undefined) rules.takeAtMost(failure.largestBytes)
    events.tell(readFailure(message, result, { rules, address }))
  }

  #countPublish({ step, delivery }: Taken, encoded: EncodedMessage): void {
    const { preparation, tally, state } = this.#task
    if (state().ending.isAbandoned) return
    this.#digest.add(encoded)
    tally.countMove(step as PublishStep, preparation.rules!.causeOf(delivery))
  }

  async awaitConnection(): Promise<void> {
    const { options, publisher, events } = this.#task
    await publisher.room()
    if (options.publishing.connection) events.tell({ kind: 'connected', connection: 'publishing' })
  }

  async awaitLeaders(queues: readonly string[]): Promise<void> {
    const { options, publisher, events } = this.#task
    await awaitLeaders(options.publishing, queues)
    await publisher.renew()
    events.tell({ kind: 'rested' })
  }

  async countTargets({ queues, isSoon }: { queues: readonly string[]; isSoon: boolean }): Promise<void> {
    if (!isSoon) await ownSleep(countAgainMs)
    const depth = await countTargets(this.#task.options.publishing, queues)
    this.#task.events.tell({ kind: 'targets-counted', depth })
  }
}
