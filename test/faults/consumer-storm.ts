import { expect } from 'vitest'
import type { Publisher } from '../../packages/warrenmq/src/publisher/publisher.ts'
import type { QueueFlow } from '../../packages/warrenmq/src/topology/queue-flow.ts'
import type { ConsumerRig } from '../integration/consumer/consumer-rig.ts'
import { eventually } from '../support/eventually.ts'
import { isDoomed, stormQueues } from './consumer-storm-topology.ts'

/** Publishes until the broker has each of the messages, however often it is away. */
export async function publishAll(
  publisher: Publisher,
  flows: readonly Pick<QueueFlow, 'queue'>[],
  countEach: number,
): Promise<string[]> {
  const messages = flows.flatMap(({ queue }) =>
    Array.from({ length: countEach }, (_, index) => ({ queue, id: `${queue}#${index}` })),
  )
  await Promise.all(
    messages.map(async ({ queue, id }) => {
      for (;;) {
        const result = await publisher.publish({ key: queue, body: id, messageId: id })
        if (result.kind === 'confirmed') return
      }
    }),
  )
  return messages.map(({ id }) => id)
}

/** Waits until every message was handled or is dead, proves that each came to the one end it had to, and counts those that came there twice. */
export async function awaitConservation(
  rig: Pick<ConsumerRig, 'drain' | 'flow'>,
  { ids, handled }: { readonly ids: readonly string[]; readonly handled: readonly string[] },
): Promise<number> {
  const dlqs = new Set(stormQueues.map((queue) => rig.flow(queue).deadLetterQueue!))
  const dead: string[] = []
  await eventually(
    async () => {
      for (const dlq of dlqs) for (const { id } of await rig.drain(dlq)) dead.push(id!)
      const ended = new Set([...handled, ...dead])
      expect(ids.filter((id) => !ended.has(id))).toEqual([])
    },
    { timeoutMs: 200_000, intervalMs: 200, what: 'every message to be handled or dead' },
  )
  expect([...new Set(dead)].toSorted()).toEqual(ids.filter(isDoomed).toSorted())
  expect([...new Set(handled)].toSorted()).toEqual(ids.filter((id) => !isDoomed(id)).toSorted())
  return handled.length + dead.length - ids.length
}
