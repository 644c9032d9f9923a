import type { DeadLetterQueue } from 'warrenmq/operations'
import type { ApiContext } from '../api-context.ts'
import type { Caller } from '../auth/caller.ts'
import { mayReadQueue } from '../auth/may-read-queue.ts'
import type { Dlq, QueueTraffic } from '../contract/contract.ts'
import { decideTotal } from './decide-total.ts'

type DlqSources = Pick<ApiContext, 'dlqs' | 'readTraffic' | 'history' | 'snapshots'>

/** The dead-letter queues that a caller may read, with their depths and what else is known without a look. */
export async function readDlqs(context: DlqSources, caller: Caller): Promise<readonly Dlq[]> {
  const [found, traffic] = await Promise.all([context.dlqs.list(), trafficByQueue(context, caller)])
  const readable = found.filter(({ queue }) => mayReadQueue(caller, queue))
  return Promise.all(readable.map((dlq) => describe(context, dlq, traffic)))
}

async function describe(
  { dlqs, history, snapshots }: DlqSources,
  { queue, type, sources, knownBy }: DeadLetterQueue,
  traffic: ReadonlyMap<string, QueueTraffic>,
): Promise<Dlq> {
  const counts = await dlqs.inspect(queue)
  const counted = traffic.get(queue)
  return {
    queue,
    type,
    messages: counts?.messageCount ?? null,
    unacknowledged: counted?.unacknowledged ?? null,
    total: decideTotal(counts, counted),
    perSecond: history.growthOf(queue),
    consumers: counts?.consumerCount ?? null,
    originConsumers: sumConsumers(sources, traffic),
    ...snapshots.deathsOf(queue),
    sources,
    knownBy,
  }
}

/** They are no reason to have no list: RabbitMQ may keep no statistics. */
async function trafficByQueue(
  { readTraffic }: DlqSources,
  caller: Caller,
): Promise<ReadonlyMap<string, QueueTraffic>> {
  try {
    const { items } = await readTraffic(caller)
    return new Map(items.map((item) => [item.queue, item]))
  } catch {
    return new Map()
  }
}

function sumConsumers(sources: readonly string[], traffic: ReadonlyMap<string, QueueTraffic>): number | null {
  const counts = sources.map((source) => traffic.get(source)?.consumers ?? null)
  if (counts.length === 0 || counts.includes(null)) return null
  return counts.reduce<number>((sum, count) => sum + count!, 0)
}
