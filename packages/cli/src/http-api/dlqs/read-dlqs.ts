import type { ApiContext } from '../api-context.ts'
import type { Caller } from '../auth/caller.ts'
import { mayReadQueue } from '../auth/may-read-queue.ts'
import type { Dlq } from '../contract/contract.ts'

/** The dead-letter queues that a caller may read, with their depths. */
export async function readDlqs({ dlqs }: Pick<ApiContext, 'dlqs'>, caller: Caller): Promise<readonly Dlq[]> {
  const found = (await dlqs.list()).filter(({ queue }) => mayReadQueue(caller, queue))
  const items = found.map(async ({ queue, type, sources, knownBy }) => {
    const counts = await dlqs.inspect(queue)
    const { messageCount: messages = null, consumerCount: consumers = null } = counts ?? {}
    return { queue, type, sources, knownBy, messages, consumers }
  })
  return Promise.all(items)
}
