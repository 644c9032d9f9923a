import type { Duration, TopologyDeclaration } from 'warrenmq/operations'

/** What the three services of the demo are called on the broker. */
export interface ShopNames {
  readonly exchange: string
  readonly payments: string
  readonly shipping: string
  readonly receipts: string
}

/** An order is paid, then shipped, then its customer gets a receipt: each service hears from the one before. */
export const shopKeys = {
  payments: 'order.placed',
  shipping: 'order.paid',
  receipts: 'order.shipped',
} as const

/** Names of its own, so that nothing else on a shared broker is touched. */
export function nameShop(prefix: string): ShopNames {
  return {
    exchange: `${prefix}shop`,
    payments: `${prefix}payments`,
    shipping: `${prefix}shipping`,
    receipts: `${prefix}receipts`,
  }
}

export function declareShop(names: ShopNames, delays: readonly Duration[]): TopologyDeclaration {
  const { exchange } = names
  const queueOf = (key: string) => ({
    bind: [{ exchange, key }],
    retry: { delays, maxAttempts: delays.length + 1 },
  })
  return {
    exchanges: { [exchange]: { type: 'topic' } },
    queues: {
      [names.payments]: queueOf(shopKeys.payments),
      [names.shipping]: queueOf(shopKeys.shipping),
      [names.receipts]: queueOf(shopKeys.receipts),
    },
    publications: Object.values(shopKeys).map((key) => ({ exchange, key })),
  }
}
