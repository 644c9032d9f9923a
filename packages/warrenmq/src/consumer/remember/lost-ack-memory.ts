import { createHash } from 'node:crypto'
import type { Delivery } from '../../broker/amqp/delivery.ts'
import { joinBody } from '../../broker/amqp/message.ts'
import type { Clock } from '../../clock.ts'
import { messageIdentity } from '../../message/message-identity.ts'
import { readProperty } from '../../wire/properties.ts'
import type { Run } from '../run/run.ts'

/**
 * Remembers work whose acknowledgement may have been lost with its channel, so that the same message, delivered
 * again to this process, is acknowledged and not run a second time. Only messages with a message id are
 * remembered: two without one may look alike and still be two.
 */
export interface LostAckMemory {
  /** An acknowledgement was sent. Whether the broker took it is only sure while the channel lives. */
  acknowledged(delivery: Rememberable): void
  /** The channel is gone: the last acks may not have arrived, and these runs continue without it. */
  channelLost(running: Iterable<Run>): void
  /** The work is done but its channel was gone by then. */
  handled(delivery: Rememberable): void
  /** A run ended in a way that is not remembered. */
  forget(delivery: Rememberable): void
  /** What is known of a message that is delivered again: that it is done, or the run that is at it. */
  take(delivery: Rememberable): Run | 'done' | undefined
}

/** What tells one message from another. */
export type Rememberable = Pick<Delivery, 'properties' | 'body' | 'bodyBytes' | 'exchange' | 'routingKey'>

/** A broker that lost an acknowledgement delivers again as soon as it can. */
const keptMs = 120_000
const keptEntries = 10_000
/** Larger bodies are neither kept in memory after their end nor read for their key. */
const largestBodyBytes = 64 * 1024

export function createLostAckMemory({
  clock,
  prefetch,
}: {
  readonly clock: Clock
  /** No more acks than this can be in flight. */
  readonly prefetch: number
}): LostAckMemory {
  let recent: (Rememberable | string | undefined)[] = []
  let next = 0
  const known = new Map<string, { readonly what: Run | 'done'; readonly untilMs: number }>()

  function keep(delivery: Rememberable | string | undefined, what: Run | 'done'): void {
    const key = typeof delivery === 'object' ? keyOf(delivery) : delivery
    if (key === undefined) return
    known.delete(key)
    known.set(key, { what, untilMs: clock.now() + keptMs })
    if (known.size > keptEntries) known.delete(known.keys().next().value!)
  }

  return {
    acknowledged: (delivery) => {
      // The key of a small one is made when it is needed, which is almost never.
      recent[next] = delivery.bodyBytes > largestBodyBytes ? keyOf(delivery) : delivery
      next = (next + 1) % prefetch
    },
    channelLost: (running) => {
      for (const delivery of recent) keep(delivery, 'done')
      recent = []
      next = 0
      for (const run of running) keep(run.delivery, run)
    },
    handled: (delivery) => keep(delivery, 'done'),
    forget: (delivery) => {
      const key = known.size === 0 ? undefined : keyOf(delivery)
      if (key !== undefined) known.delete(key)
    },
    take: (delivery) => {
      const key = known.size === 0 ? undefined : keyOf(delivery)
      const entry = key === undefined ? undefined : known.get(key)
      if (entry === undefined || key === undefined) return undefined
      known.delete(key)
      return entry.untilMs < clock.now() ? undefined : entry.what
    },
  }
}

/** By its identity, and by its body if that is small. Undefined without a message id: two such may look alike and still be two. */
export function keyOf(delivery: Rememberable): string | undefined {
  const { properties, body, bodyBytes } = delivery
  if (readProperty(properties, 'messageId') === undefined) return undefined
  const hash = createHash('sha256')
  for (const part of messageIdentity(delivery)) hash.update(part)
  hash.update(`\0${bodyBytes}\0`)
  if (bodyBytes <= largestBodyBytes) hash.update(joinBody(body))
  return hash.digest('base64')
}
