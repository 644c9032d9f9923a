import type { AddRoutes } from '../api-context.ts'
import { mayReadQueue } from '../auth/may-read-queue.ts'
import type { DepthHistory, HistoryQuery } from '../contract/contract.ts'
import { endpoints } from '../contract/endpoints.ts'
import { tick } from '../show/rendered-answers.ts'

/** What is new in a chart is seconds old. */
const sharedMs = 1_000

export const addHistoryRoutes: AddRoutes = (add, { history, settings, dlqs }) => {
  const read = async (queue: string, query: HistoryQuery): Promise<DepthHistory> => ({
    queue,
    points: (await history.read(queue, query)).map(({ atMs, messages, perSecond }) => ({
      at: new Date(atMs).toISOString(),
      messages,
      perSecond,
    })),
  })

  add(endpoints.showHistory, async ({ params: { queue }, query }) => {
    // One that has a history may be gone; one that has none yet may be new.
    if (!history.queues().includes(queue)) await dlqs.require(queue)
    return read(queue, query)
  })

  add(
    endpoints.listHistory,
    async ({ query, caller }) => {
      const queues = history.queues().filter((queue) => mayReadQueue(caller, queue))
      const everySeconds = settings.history.everyMs / 1_000
      return { everySeconds, items: await Promise.all(queues.map((queue) => read(queue, query))) }
    },
    () => tick(sharedMs),
  )
}
