import { inspectQueue } from '../../packages/warrenmq/src/embedded/inspect-queue.ts'
import type { Queue } from '../../packages/warrenmq/src/embedded/model/queue/queue.ts'
import { archive } from '../actors/scenario.ts'
import type { SimBroker } from '../actors/sim-broker.ts'
import type { Evidence } from './evidence.ts'

/** What lies in one queue. */
export interface QueueContents {
  readonly name: string
  /** The ids of what is ready, in order. */
  readonly ids: readonly (string | undefined)[]
  /** In hand, on their way to a dead-letter target, or held back. */
  readonly others: number
}

/** Every queue of the broker, without touching one. */
export function readQueues({ model }: SimBroker): readonly QueueContents[] {
  return workQueuesOf(model).map((queue) => {
    const { name } = queue
    const { ready, unacknowledged, deadLetters, delayed } = queue.counts()
    const messages = ready === 0 ? [] : inspectQueue(model, { vhost: '/', queue: name })!.messages
    return {
      name,
      ids: messages.map(({ properties }) => properties.messageId),
      others: unacknowledged + deadLetters + delayed,
    }
  })
}

/** The streams of the servers hold records, and no messages that anybody handles. */
function workQueuesOf(model: SimBroker['model']): readonly Queue[] {
  return [...model.vhosts.get('/')!.queues.values()].filter(({ name }) => !name.startsWith('warren.'))
}

/** Here messages stay until a person decides. */
export function isFinal(queue: string, { flow }: Evidence): boolean {
  return queue === flow.deadLetterQueue || queue === archive || queue.endsWith('.over-limit')
}

/** Nothing is in a work or wait queue, and nothing in hand. */
export function isSettled(evidence: Evidence): boolean {
  const { broker } = evidence
  if (!broker.isListening) return false
  for (const queue of workQueuesOf(broker.model)) {
    const { ready, unacknowledged, deadLetters, delayed } = queue.counts()
    if (unacknowledged + deadLetters + delayed > 0) return false
    if (ready > 0 && !isFinal(queue.name, evidence)) return false
  }
  return true
}

export function describeQueues({ broker }: Evidence): string {
  const filled = readQueues(broker).filter(({ ids, others }) => ids.length + others > 0)
  return filled.map(({ name, ids, others }) => `${name}: ${ids.length} ready, ${others} other`).join('; ')
}
