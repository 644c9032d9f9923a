import type { Publisher } from '../../publisher/publisher.ts'
import { DeadWatch, type WatchFacts } from './dead-watch.ts'
import type { RedriveOptions } from './redrive-options.ts'
import type { RedrivePreparation } from './redrive-preparation.ts'
import { queuesOf } from './redrive-rules.ts'
import { leftOf, movedSoFar, type RedriveState } from './redrive-state.ts'
import type { RedriveTally } from './redrive-tally.ts'
import { sampleDepth } from './sample-depth.ts'
import type { Taken } from './taken.ts'

export interface RedriveWatchTask {
  readonly id: string
  readonly options: Pick<RedriveOptions, 'consuming' | 'queue' | 'canary' | 'stopWhenDead'>
  readonly publisher: Publisher
  readonly preparation: RedrivePreparation
  readonly tally: RedriveTally
  readonly state: () => RedriveState<Taken>
}

/** Unsettled deliveries at this moment. */
interface InHand {
  readonly openCount: number
}

const defaultCanaryWaitMs = 10_000

/** Watches one re-drive for messages that come back, with what the re-drive knows about itself. */
export class RedriveWatch {
  readonly #task: RedriveWatchTask
  readonly #watch: DeadWatch

  constructor(task: RedriveWatchTask) {
    const { id: redriveId, options, publisher } = task
    const { consuming: session, queue, canary, stopWhenDead: deadLimit } = options
    this.#task = task
    this.#watch = new DeadWatch({
      session,
      publisher,
      queue,
      redriveId,
      canary,
      deadLimit,
      targets: () => this.#targets(),
    })
  }

  #targets(): readonly string[] {
    const { preparation, tally } = this.#task
    const { rules } = preparation
    return rules ? tally.addresses.flatMap((address) => queuesOf(rules, address)) : []
  }

  /** As counted last. */
  get cameBack(): number {
    return this.#watch.cameBack
  }

  /** While a pass runs, the depth of the queue shows that messages come back. Returns how to end it. */
  sample(taking: InHand, onSuspicion: () => void): () => void {
    if (!this.#task.state().stage) return () => {}
    return sampleDepth(this.#task.options, (depth) => {
      if (this.#watch.isSuspicious(depth, this.#facts(taking))) onSuspicion()
    })
  }

  /** Do messages that were moved come back? */
  async look(isStageEnd: boolean, taking: InHand): Promise<'go-on' | 'stop'> {
    const { waitMs = defaultCanaryWaitMs } = this.#task.options.canary ?? {}
    const read = (): WatchFacts => this.#facts(taking)
    const isStopped = (): boolean => this.#task.state().ending.stopped !== undefined
    if (isStageEnd) await this.#watch.wait(waitMs, () => (isStopped() ? undefined : read()))
    return isStopped() ? 'go-on' : this.#watch.judge(read)
  }

  #facts({ openCount: inHand }: InHand): WatchFacts {
    const state = this.#task.state()
    // What is acknowledged and not proved no longer counts as held.
    const left = leftOf(state) - state.flow.unproved
    const look = this.#task.preparation.look!
    return { moved: movedSoFar(state), left, inHand, look }
  }
}
