import { expect } from 'vitest'
import type { Handler } from '../../src/consumer/handler.ts'
import { murmurHash } from '../../src/message/murmur-hash.ts'
import type { Publisher } from '../../src/publisher/publisher.ts'
import type { TopologyDeclaration } from '../../src/topology/declaration.ts'
import type { ConsumerRig } from '../integration/consumer/consumer-rig.ts'
import { eventually } from '../support/eventually.ts'

export const stormQueue = 'storm-orders'

export type StormLayout = 'warren' | 'event-bus' | 'isolated' | 'ratatoskr'

export function stormTopology(layout: StormLayout): TopologyDeclaration {
  return { layout, queues: { [stormQueue]: { retry: { delays: [20], maxAttempts: 3 } } } }
}

/** Four attempts in ten fail, the same ones in every run: chosen by the id and the attempt. */
export function stormHandler(handled: (id: string) => void): Handler {
  return async ({ id }, { attempt }) => {
    await new Promise((resolve) => setImmediate(resolve))
    if (murmurHash(Buffer.from(`${id}#${attempt}`), 7) % 10 < 4) throw new Error('bad luck')
    handled(id!)
  }
}

/** Publishes until the broker has each of the messages, however often it is away. */
export async function publishAll(publisher: Publisher, queue: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => `m${index}`)
  await Promise.all(
    ids.map(async (id) => {
      for (;;) {
        const result = await publisher.publish({ key: queue, body: id, messageId: id })
        if (result.kind === 'confirmed') return
      }
    }),
  )
  return ids
}

/** Waits until every message was handled or is dead, and says which are dead. */
export async function awaitConservation(
  rig: Pick<ConsumerRig, 'depth' | 'drain'>,
  {
    ids,
    handled,
    dlq,
    timeoutMs = 90_000,
  }: { ids: readonly string[]; handled: readonly string[]; dlq: string; timeoutMs?: number },
): Promise<readonly string[]> {
  const dead: string[] = []
  await eventually(
    async () => {
      for (const { id } of await rig.drain(dlq)) dead.push(id!)
      const ended = new Set([...handled, ...dead])
      expect(ids.filter((id) => !ended.has(id))).toEqual([])
    },
    { timeoutMs, intervalMs: 200, what: 'every message to be handled or dead' },
  )
  return dead
}
