import { connect, defineTopology, type OutgoingMessage, reject } from 'warrenmq'
import { type EmbeddedBroker, startEmbeddedBroker } from 'warrenmq/testing'
import { type PastDeaths, pastDeaths } from './past-deaths.ts'

/** Where a shop works, and a server serves it. */
export interface ShopBroker {
  readonly url: string
  readonly managementUrl: string
}

/** A shop on a broker of its own whose services fail, for a console to look at. */
export interface FailingShop {
  readonly broker: ShopBroker
  /** What `warren serve` takes as its config. */
  readonly config: object
  /** So many orders are placed; each dies in one of three queues, of one of a few causes. */
  placeOrders(count: number): Promise<void>
  /** From now on what is put back is handled. */
  mend(): void
  readonly handled: readonly number[]
  publish(message: OutgoingMessage): Promise<unknown>
  /** Straight into a queue, so many. */
  publishTo(queue: string, count: number): Promise<void>
  /** What has died before anybody looked. */
  killInThePast(deaths: PastDeaths): Promise<void>
  close(): Promise<void>
}

const declaration = {
  exchanges: { shop: { type: 'topic' } },
  queues: {
    'billing.payments': {
      bind: [{ exchange: 'shop', key: 'order.placed' }],
      retry: { delays: ['100ms'], maxAttempts: 2 },
    },
    'warehouse.shipping': {
      bind: [{ exchange: 'shop', key: 'order.paid' }],
      retry: { delays: ['100ms'], maxAttempts: 2 },
    },
    'mail.receipts': {
      bind: [{ exchange: 'shop', key: 'order.shipped' }],
      retry: { delays: ['100ms'], maxAttempts: 2 },
    },
  },
} as const

const keys = ['order.placed', 'order.placed', 'order.placed', 'order.paid', 'order.shipped'] as const
const failures = [
  ['PaymentDeclinedError', 'card expired'],
  ['GatewayTimeoutError', 'no answer from the gateway after 5 s'],
  ['PaymentDeclinedError', 'card expired'],
  ['StockError', 'warehouse 7 does not know the article'],
] as const

/** Without a broker, on one of its own. */
export async function openFailingShop(): Promise<FailingShop & { readonly broker: EmbeddedBroker }> {
  const broker = await startEmbeddedBroker()
  const shop = await openShopOn(broker)
  const close = async (): Promise<void> => {
    await shop.close()
    await broker.stop()
  }
  return { ...shop, broker, close }
}

export async function openShopOn(broker: ShopBroker): Promise<FailingShop> {
  const topology = defineTopology(declaration)
  const connection = await connect(broker.url, { topology })
  await connection.apply()
  const handled: number[] = []
  let isMended = false
  let placed = 0
  const handle = async ({ body }: { readonly body: unknown }) => {
    const { order } = body as { readonly order: number }
    if (isMended) {
      handled.push(order)
      return undefined
    }
    const [name, message] = failures[order % failures.length]!
    if (name === 'StockError') return reject(message)
    throw Object.assign(new Error(message), { name })
  }
  const consumers = await Promise.all(
    Object.keys(declaration.queues).map((queue) =>
      connection.consume(queue as 'billing.payments', handle as never),
    ),
  )
  const publisher = connection.publisher()
  return {
    broker,
    handled,
    config: { ...declaration, server: {} },
    placeOrders: async (count) => {
      const orders = Array.from({ length: count }, (_, index) => placed + index + 1)
      placed += count
      await Promise.all(
        orders.map((order) =>
          publisher.publish({
            exchange: 'shop',
            key: keys[order % keys.length]!,
            messageId: `order-${order}`,
            type: 'OrderPlaced',
            headers: { tenant: order % 3 === 0 ? 'acme' : 'globex' },
            body: {
              order,
              amount: (order * 37) % 500,
              currency: 'EUR',
              card: { number: '4111 1111 1111 1111' },
            },
          }),
        ),
      )
    },
    publish: (message) => publisher.publish(message),
    publishTo: async (key, count) => {
      await Promise.all(
        Array.from({ length: count }, (_, index) => publisher.publish({ key, body: { index } })),
      )
    },
    killInThePast: async (deaths) => {
      await Promise.all(Array.from(pastDeaths(deaths), (message) => publisher.publish(message)))
    },
    mend: () => {
      isMended = true
    },
    close: async () => {
      await Promise.all(consumers.map((consumer) => consumer.close()))
      await connection.close()
    },
  }
}
