import type { Delivery } from '../broker/amqp/delivery.ts'
import type { Publisher } from '../publisher/publisher.ts'
import type { PassRules } from './redrive-pass.ts'

export interface Refreshing {
  readonly delivery: Delivery
  readonly publisher: Publisher
  readonly rules: Pick<PassRules, 'encodeRefreshed'>
  readonly onDone: (isRefreshed: boolean) => void
}

/**
 * Puts a message at the end of its own queue and acknowledges the old copy, because giving the old one back
 * would delete it. The new copy starts with a count of zero.
 */
export function refreshDelivery({ delivery, publisher, rules, onDone }: Refreshing): void {
  publisher.publishEncoded(rules.encodeRefreshed(delivery), (result) => {
    onDone(result.kind === 'confirmed' && delivery.ack() === 'sent')
  })
}
