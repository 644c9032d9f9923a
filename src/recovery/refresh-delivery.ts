import type { Settled } from '../broker/amqp/ack-ledger.ts'
import type { Delivery } from '../broker/amqp/delivery.ts'
import type { Publisher } from '../publisher/publisher.ts'
import type { PassRules } from './redrive-pass.ts'

export interface Refreshing {
  readonly delivery: Delivery
  readonly publisher: Publisher
  /** How it is acknowledged. @default by itself */
  readonly ack?: (delivery: Delivery) => Settled
  readonly rules: Pick<PassRules, 'encodeRefreshed'>
  readonly onDone: (isRefreshed: boolean) => void
}

/**
 * Puts a message at the end of its own queue and acknowledges the old copy, because giving the old one back
 * would delete it. The new copy starts with a count of zero.
 */
export function refreshDelivery({ delivery, publisher, rules, ack, onDone }: Refreshing): void {
  publisher.publishEncoded(rules.encodeRefreshed(delivery), (result) => {
    onDone(result.kind === 'confirmed' && (ack?.(delivery) ?? delivery.ack()) === 'sent')
  })
}
