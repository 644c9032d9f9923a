import { ApiError, type DeadLetterQueue } from 'warrenmq/operations'
import type { ServerBroker } from '../server-broker.ts'
import { shareAnswers } from '../show/share-answers.ts'
import { createInspector, type InspectDlq, listDlqs } from './list-dlqs.ts'

/** The dead-letter queues and their depths, read from the broker once for all who ask. */
export interface DlqLists {
  list(): Promise<readonly DeadLetterQueue[]>
  /** The same, read anew. */
  listNow(): Promise<readonly DeadLetterQueue[]>
  /** Ready messages, exact; null where the queue is gone. */
  count(queue: string): Promise<number | null>
  /** The same with those who consume from it. */
  readonly inspect: InspectDlq
  /**
   * Throws where it is none, so that no live queue is read, emptied or filled. For a change the broker is read anew; for
   * a look a list will do that is at most a second old.
   */
  require(queue: string, options?: { readonly isChange: boolean }): Promise<void>
}

/** Finding out which queues there are takes six requests, and their depths one question each. */
const sharedMs = 750
/** How long a list of them is given on once it is written, so that all of it is at most a second old. */
export const listSharedMs = 250

export function createDlqLists(broker: ServerBroker): DlqLists {
  const list = shareAnswers(sharedMs, () => listDlqs(broker))
  // Who asks for queues that are none, or not yet, is one question to the broker at a time.
  const listAnew = shareAnswers(0, () => listDlqs(broker))
  const inspect = shareAnswers(sharedMs, createInspector(broker))
  return {
    list: () => list(''),
    listNow: () => listDlqs(broker),
    count: async (queue) => (await inspect(queue))?.messageCount ?? null,
    inspect,
    require: async (queue, { isChange } = { isChange: true }) => {
      const isAmong = (found: readonly DeadLetterQueue[]) => found.some((each) => each.queue === queue)
      if (isChange ? isAmong(await listDlqs(broker)) : isAmong(await list('')) || isAmong(await listAnew('')))
        return
      const message = `"${queue}" is not a dead-letter queue of this vhost. GET /api/v1/dlqs lists them.`
      throw new ApiError({ code: 'API_NOT_FOUND', message })
    },
  }
}
