import type { Delivery } from '../../broker/amqp/delivery.ts'
import type { PublishResult } from '../../publisher/publish-result.ts'
import type { Publisher } from '../../publisher/publisher.ts'
import { sleep } from '../../world.ts'
import { createSetDigest, digestBody } from '../receipt/set-digest.ts'
import { awaitLeaders } from './await-leaders.ts'
import { countTargets } from './count-targets.ts'
import { describeFailure } from './failed-publish.ts'
import { readAnswer } from './read-answer.ts'
import type { RedriveEvent } from './redrive-event.ts'
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
  readonly tell: (event: RedriveEvent<Taken>) => void
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

  publish(message: Taken): void {
    const { publisher, preparation, tell, tellFailure } = this.#task
    const step = message.step as PublishStep
    const rules = preparation.rules!
    try {
      const encoded = rules.encode(message.delivery, step)
      publisher.publishEncoded(encoded, (result) => {
        if (result.kind === 'confirmed') this.#countPublish(message.delivery, { step, body: encoded.body })
        else this.#noteFailure(message, result)
        tell(readAnswer(message, result, { rules, address: step }))
      })
    } catch (error) {
      tellFailure(error) // it cannot be encoded
      tell({ kind: 'unanswered', message, cause: 'unsent', mayBeThere: false })
    }
  }

  #countPublish(delivery: Delivery, { step, body }: { step: PublishStep; body: Delivery['body'] }): void {
    const { preparation, tally, state } = this.#task
    if (state().ending.isAbandoned) return
    this.#digest.add(digestBody({ body }), preparation.rules!.idOf(delivery))
    tally.countMove(step, preparation.rules!.causeOf(delivery))
  }

  #noteFailure(message: Taken, result: Exclude<PublishResult, { kind: 'confirmed' }>): void {
    const failure = describeFailure(message.step as PublishStep, result)
    message.failure = failure
    if (failure.largestBytes !== undefined) this.#task.preparation.rules!.takeAtMost(failure.largestBytes)
  }

  async awaitConnection(): Promise<void> {
    const { options, publisher, tell } = this.#task
    await publisher.room()
    if (options.publishing.connection) tell({ kind: 'connected', connection: 'publishing' })
  }

  async awaitLeaders(queues: readonly string[]): Promise<void> {
    const { options, publisher, tell } = this.#task
    await awaitLeaders(options.publishing, queues)
    await publisher.renew()
    tell({ kind: 'rested' })
  }

  async countTargets({ queues, isSoon }: { queues: readonly string[]; isSoon: boolean }): Promise<void> {
    if (!isSoon) await sleep(countAgainMs)
    const depth = await countTargets(this.#task.options.publishing, queues)
    this.#task.tell({ kind: 'targets-counted', depth })
  }
}
