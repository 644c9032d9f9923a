import type { Management } from 'warrenmq/operations'
import type { Snapshot } from '../contract/contract.ts'
import type { InspectDlq } from '../dlqs/list-dlqs.ts'
import { shareAnswers } from '../show/share-answers.ts'
import type { KeptSnapshot } from './kept-snapshot.ts'

export type Since = Snapshot['since']

/** What has become of the queue of a snapshot. */
export type ReadSince = (kept: KeptSnapshot) => Promise<Since>

export interface SinceSources {
  readonly vhost: string
  readonly management: { readonly queues: Pick<Management['queues'], 'acknowledged'> }
  /** May be as old as a list; `inspectNow` may not. */
  readonly inspect: InspectDlq
  readonly inspectNow: InspectDlq
}

/** Counts of messages are shared for so long; one of before the end was made while the look held them. */
const sharedMs = 1_000
/** RabbitMQ counts acknowledgements every five seconds. */
const acknowledgedSharedMs = 2_000

/**
 * Tells what the broker can: how many there are now, and how many were acknowledged. That it cannot be asked now is no
 * reason to show nothing of a copy.
 */
export function createSinceReader({ vhost, management, inspect, inspectNow }: SinceSources): ReadSince {
  const acknowledged = shareAnswers(acknowledgedSharedMs, async (name) =>
    orNull(async () => (await management.queues.acknowledged({ vhost, name })) ?? null),
  )
  const before = new WeakMap<KeptSnapshot, Promise<number | null>>()

  const acknowledgedSince = async (kept: KeptSnapshot): Promise<number | null> => {
    const first = before.get(kept) ?? acknowledged(kept.queue)
    before.set(kept, first)
    const [then, now] = await Promise.all([first, acknowledged(kept.queue)])
    // A broker that has started anew counts anew.
    return then === null || now === null || now < then ? null : now - then
  }

  const countNow = async ({ queue, endedAtMs = Date.now() }: KeptSnapshot): Promise<number | null> =>
    orNull(async () => {
      const counts = await (Date.now() - endedAtMs > sharedMs ? inspect(queue) : inspectNow(queue))
      return counts?.messageCount ?? null
    })

  return async (kept) => {
    if (kept.endedAtMs === undefined) return nothingKnown
    const [messages, gone] = await Promise.all([countNow(kept), acknowledgedSince(kept)])
    const change = messages === null ? null : messages - kept.present
    return { messages, change, acknowledged: gone }
  }
}

/** While the look holds the messages. */
export const nothingKnown: Since = { messages: null, change: null, acknowledged: null }

async function orNull(ask: () => Promise<number | null>): Promise<number | null> {
  try {
    return await ask()
  } catch {
    return null
  }
}
