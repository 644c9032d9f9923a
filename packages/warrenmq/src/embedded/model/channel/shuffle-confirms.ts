import type { SeededRandom } from '../collections/seeded-random.ts'

/** A publish that is to be confirmed, and who had to take the message before. */
export interface DueConfirm {
  readonly tag: number
  /** The queues, and whether they write it to disk: what waits for the same is confirmed in its order. */
  readonly waitedFor: string
}

/**
 * The order in which confirms are told, in batches. RabbitMQ tells them as the queues are done: a fast queue, or one that keeps a
 * message in memory, is ahead of one that writes to disk or asks its replicas. Of one queue they come in the order of the publishes.
 */
export function shuffleConfirms(due: readonly DueConfirm[], random: SeededRandom): number[][] {
  const lanes = new Map<string, number[]>()
  for (const { tag, waitedFor } of due) lanes.set(waitedFor, [...(lanes.get(waitedFor) ?? []), tag])
  const waiting = [...lanes.values()]
  if (waiting.length === 1) return waiting
  const batches: number[][] = []
  while (waiting.length > 0) {
    const at = random() % waiting.length
    const lane = waiting[at]!
    batches.push(lane.splice(0, 1 + (random() % lane.length)))
    if (lane.length === 0) waiting.splice(at, 1)
  }
  return batches
}
