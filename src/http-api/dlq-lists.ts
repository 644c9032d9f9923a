import { ApiError } from '../errors.ts'
import type { DeadLetterQueue } from '../recovery/decide-dead-letter-queues.ts'
import type { BrokerLine } from './broker-line.ts'
import { type CountMessages, createCounter, listDlqs } from './list-dlqs.ts'
import { shareAnswers } from './share-answers.ts'

/** The dead-letter queues and their depths, read from the broker once for all who ask. */
export interface DlqLists {
  list(): Promise<readonly DeadLetterQueue[]>
  /** The same, read anew. */
  listNow(): Promise<readonly DeadLetterQueue[]>
  /** Ready messages, exact; null where the queue is gone. */
  readonly count: CountMessages
  /** Throws where it is none, so that no live queue is emptied or filled. Reads the broker anew. */
  require(queue: string): Promise<void>
}

/** Finding out which queues there are takes six requests, and their depths one question each. */
const sharedMs = 750
/** How long a list of them is given on once it is written, so that all of it is at most a second old. */
export const listSharedMs = 250

export function createDlqLists(line: BrokerLine): DlqLists {
  const list = shareAnswers(sharedMs, () => listDlqs(line))
  return {
    list: () => list(''),
    listNow: () => listDlqs(line),
    count: shareAnswers(sharedMs, createCounter(line)),
    require: async (queue) => {
      const found = await listDlqs(line)
      if (found.some((each) => each.queue === queue)) return
      const message = `"${queue}" is no dead-letter queue of this vhost. GET /api/v1/dlqs lists them.`
      throw new ApiError({ code: 'API_NOT_FOUND', message })
    },
  }
}
