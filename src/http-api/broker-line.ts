import type { Session } from '../broker/amqp/session.ts'
import { createTurns, type Turns } from '../broker/amqp/turns.ts'
import { limitConcurrency, type RunLimited } from '../broker/management/limit-concurrency.ts'
import type { Management } from '../broker/management/open-management.ts'
import type { TypeRoutes } from '../recovery/plan-redrive.ts'
import type { CompiledTopology } from '../topology/compiled-topology.ts'

/** The server's own line to the broker. */
export interface BrokerLine {
  readonly consuming: Session
  readonly publishing: Session
  readonly management: Management
  readonly vhost: string
  /** The declared topology; undefined where there is no config. */
  readonly topology: CompiledTopology | undefined
  /** Where messages of a type go whose origin nothing else tells, as the config's recovery section says. */
  readonly types?: TypeRoutes | undefined
}

/**
 * Lets one piece of work at a time have a queue. The lock of recovery/ is one of connections, and all work of
 * this server shares one: among ourselves we have to wait our turn.
 */
export interface QueueTurns {
  take<Result>(queue: string, work: () => Promise<Result>): Promise<Result>
  /** The same for a look, of which only a few run at once. */
  look<Result>(queue: string, work: () => Promise<Result>): Promise<Result>
}

/** Looks at different queues at once; each holds messages unacknowledged while it runs. */
const mostAtOnce = 4

export function createQueueTurns(): QueueTurns {
  const turnsOf = new Map<string, { readonly turns: Turns; waiting: number }>()
  const runLimited: RunLimited = limitConcurrency(mostAtOnce)

  async function take<Result>(queue: string, work: () => Promise<Result>): Promise<Result> {
    const entry = turnsOf.get(queue) ?? { turns: createTurns(), waiting: 0 }
    turnsOf.set(queue, entry)
    entry.waiting += 1
    try {
      return await entry.turns.take(work)
    } finally {
      entry.waiting -= 1
      if (entry.waiting === 0) turnsOf.delete(queue)
    }
  }

  return { take, look: (queue, work) => take(queue, () => runLimited(work)) }
}
