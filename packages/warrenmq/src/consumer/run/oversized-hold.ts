import type { Delivery } from '../../broker/amqp/delivery.ts'
import type { Clock } from '../../clock.ts'
import { createHolds } from './holds.ts'

/** Messages that this process cannot read and must not lose. */
export interface OversizedHold {
  /** Holds it for as long as the broker lets it, then gives it back as it is. */
  take(delivery: Delivery): void
  /** The channel is gone, and the broker has them back. */
  forget(): void
}

export function createOversizedHold({
  clock,
  longestHoldMs,
}: {
  readonly clock: Clock
  readonly longestHoldMs: number
}): OversizedHold {
  const held = createHolds<Delivery>(clock)
  return {
    take: (delivery) => {
      held.add(delivery, clock.now() + longestHoldMs, () => delivery.nack({ requeue: true }))
    },
    forget: () => void held.removeAll(() => true),
  }
}
