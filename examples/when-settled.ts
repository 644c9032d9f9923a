import type { Consumer, ConsumerEvents } from 'warrenmq'

type Settled = ConsumerEvents['delivery.settled']

/** Resolves when the consumer has settled so many deliveries in the way that is asked for. */
export function whenSettled(
  consumer: Consumer,
  { kind, count = 1 }: { readonly kind: Settled['outcome']['kind']; readonly count?: number },
): Promise<Settled> {
  return new Promise((resolve) => {
    let seen = 0
    const stop = consumer.events.on('delivery.settled', (event) => {
      if (event.outcome.kind === kind) seen += 1
      if (seen < count) return
      stop()
      resolve(event)
    })
  })
}
