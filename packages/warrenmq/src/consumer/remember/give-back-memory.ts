import type { GivenBack } from '../settle/near-limit.ts'
import { keyOf, type Rememberable } from './lost-ack-memory.ts'

/**
 * Remembers what the consumer gives back by itself: what was kept for too long, or waited too long for its turn. Most
 * versions of RabbitMQ count these like a crash, and a message that an open breaker kept waiting must not be taken for
 * poison over it. Only messages with a message id are remembered, and only in this process.
 */
export interface GiveBackMemory {
  gaveBack(delivery: Rememberable): void
  /** What is known of a message that is delivered again. */
  take(delivery: Rememberable): GivenBack | undefined
  /** The message is settled otherwise. */
  forget(delivery: Rememberable): void
}

const keptEntries = 10_000

export function createGiveBackMemory(): GiveBackMemory {
  const known = new Map<string, GivenBack>()

  function put(key: string, given: GivenBack): void {
    known.delete(key)
    known.set(key, given)
    if (known.size > keptEntries) known.delete(known.keys().next().value!)
  }

  return {
    gaveBack: (delivery) => {
      const key = keyOf(delivery)
      if (key !== undefined) put(key, { times: (known.get(key)?.times ?? 0) + 1, isLast: true })
    },
    take: (delivery) => {
      const key = known.size === 0 ? undefined : keyOf(delivery)
      const given = key === undefined ? undefined : known.get(key)
      if (key !== undefined && given !== undefined) put(key, { ...given, isLast: false })
      return given
    },
    forget: (delivery) => {
      const key = known.size === 0 ? undefined : keyOf(delivery)
      if (key !== undefined) known.delete(key)
    },
  }
}
