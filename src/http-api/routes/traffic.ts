import type { QueueTraffic as ManagedTraffic } from '../../broker/management/queues.ts'
import type { AddRoutes } from '../api-context.ts'
import { mayReadQueue } from '../auth/may-read-queue.ts'
import type { QueueTraffic } from '../contract.ts'
import { endpoints } from '../endpoints.ts'
import { tick } from '../rendered-answers.ts'
import { shareAnswers } from '../share-answers.ts'

/** RabbitMQ itself counts every five seconds. */
const sharedMs = 2_000

export const addTrafficRoutes: AddRoutes = (add, { line: { management, vhost }, dlqs }) => {
  const read = shareAnswers(sharedMs, async () => ({
    at: new Date().toISOString(),
    queues: await management.queues.traffic({ vhost }),
  }))

  add(
    endpoints.listTraffic,
    async ({ caller }) => {
      const [{ at, queues }, found] = await Promise.all([read(''), dlqs.list()])
      const isDlq = new Set(found.map(({ queue }) => queue))
      const readable = queues.filter(({ name }) => mayReadQueue(caller, name))
      return { vhost, at, items: readable.map((each) => show(each, isDlq)) }
    },
    () => tick(sharedMs),
  )
}

function show({ name, ...told }: ManagedTraffic, isDlq: ReadonlySet<string>): QueueTraffic {
  return {
    queue: name,
    type: told.type ?? null,
    isDlq: isDlq.has(name),
    ready: told.ready ?? null,
    unacknowledged: told.unacknowledged ?? null,
    consumers: told.consumers ?? null,
    inPerSecond: told.inPerSecond ?? null,
    outPerSecond: told.outPerSecond ?? null,
    acknowledgedPerSecond: told.acknowledgedPerSecond ?? null,
  }
}
