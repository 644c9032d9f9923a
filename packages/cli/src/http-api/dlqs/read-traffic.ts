import type { QueueTraffic as ManagedTraffic } from 'warrenmq/operations'
import type { Caller } from '../auth/caller.ts'
import { mayReadQueue } from '../auth/may-read-queue.ts'
import type { QueueTraffic, QueueTrafficList } from '../contract/contract.ts'
import type { ServerBroker } from '../server-broker.ts'
import { shareAnswers } from '../show/share-answers.ts'
import type { DlqLists } from './dlq-lists.ts'

/** RabbitMQ itself counts every five seconds. */
export const trafficSharedMs = 2_000

/** Gives the figures of the queues that a caller may read. */
export type ReadTraffic = (caller: Caller) => Promise<QueueTrafficList>

/** Asks RabbitMQ once for all who want to know. */
export function createTrafficReader(
  { management, vhost }: Pick<ServerBroker, 'management' | 'vhost'>,
  dlqs: Pick<DlqLists, 'list'>,
): ReadTraffic {
  const read = shareAnswers(trafficSharedMs, async () => ({
    at: new Date().toISOString(),
    queues: await management.queues.traffic({ vhost }),
  }))
  return async (caller) => {
    const [{ at, queues }, found] = await Promise.all([read(''), dlqs.list()])
    const isDlq = new Set(found.map(({ queue }) => queue))
    const readable = queues.filter(({ name }) => mayReadQueue(caller, name))
    return { vhost, at, items: readable.map((each) => show(each, isDlq)) }
  }
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
