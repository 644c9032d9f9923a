import type { Publisher } from '../../publisher/publisher.ts'
import type { LookRules } from '../look/prepare-look.ts'
import { decidePrefetch } from './decide-prefetch.ts'
import { type CountedQueue, depthWhenBack, prepareFirst, readLookAgain } from './prepare-first.ts'
import type { RedriveEvent } from './redrive-event.ts'
import type { RedriveLock } from './redrive-lock.ts'
import type { RedriveOptions } from './redrive-options.ts'
import type { RedriveRules } from './redrive-rules.ts'
import { leastLeftOf, type RedriveState } from './redrive-state.ts'
import type { Taken } from './taken.ts'

export interface PreparationTask {
  readonly id: string
  readonly startedAtMs: number
  readonly options: RedriveOptions
  readonly publisher: Publisher
  readonly lock: RedriveLock
  readonly patience: AbortSignal
  readonly state: () => RedriveState<Taken>
}

/** What a re-drive has read of the broker before it takes anything. */
export class RedrivePreparation {
  readonly #task: PreparationTask
  #rules: RedriveRules | undefined
  #look: LookRules | undefined

  constructor(task: PreparationTask) {
    this.#task = task
  }

  /** What the run goes by, from the first time on. */
  get rules(): RedriveRules | undefined {
    return this.#rules
  }

  /** The rules of the queue, as they were read last. */
  get look(): LookRules | undefined {
    return this.#look
  }

  /** Counts the queue and reads its rules while no message is taken. */
  async prepare(): Promise<Extract<RedriveEvent<Taken>, { kind: 'prepared' }>> {
    const facts = await (this.#rules ? this.#prepareAgain() : this.#prepareFirst())
    const look = this.#look!
    const { window, limit } = this.#task.state().settings
    return {
      kind: 'prepared',
      ...facts,
      returnLimit: look.returnLimit,
      inOverLimitQueue: look.overLimitQueue.count,
      returnsInMs: this.#task.lock.returnsInMs,
      prefetch: decidePrefetch({ window: window.messages, limit, averageBytes: look.averageBytes }),
    }
  }

  async #prepareFirst(): Promise<CountedQueue> {
    const { id, startedAtMs: atMs, options, publisher } = this.#task
    const { rules, ...counted } = await prepareFirst(options, { id, atMs, publisher })
    this.#rules = rules
    this.#look = rules.look
    return counted
  }

  async #prepareAgain(): Promise<CountedQueue> {
    const { options, lock, patience } = this.#task
    this.#look = await readLookAgain(options, { before: this.#look!, patience })
    const state = this.#task.state()
    const { otherConsumers, inDoubt } = state.counts
    // The depth says something only if acks are in doubt.
    if (inDoubt === 0 || lock.returnsInMs > 0) return { depth: 0, otherConsumers }
    const { consuming: session, queue } = options
    const atLeast = leastLeftOf(state)
    return { depth: await depthWhenBack({ session, queue, otherConsumers, atLeast }), otherConsumers }
  }
}
