import type { Consumer, Handler, Publisher } from 'warrenmq'
import { type CompiledTopology, type SessionPair, startConsumer } from 'warrenmq/operations'
import type { Ladder } from './ladder.ts'
import type { OrderBook } from './order-book.ts'
import type { Order, OutsideWorld } from './outside-world.ts'
import { type ShopNames, shopKeys } from './shop-names.ts'

export interface Shop extends SessionPair {
  readonly names: ShopNames
  readonly topology: CompiledTopology
  readonly publisher: Publisher
  readonly world: OutsideWorld
  readonly book: OrderBook
  readonly ladder: Ladder
  /** On the broker's clock. */
  readonly now: () => number
}

/** Starts the three services, as an application would, and writes down what becomes of each order. */
export async function startServices(shop: Shop): Promise<readonly Consumer[]> {
  const { names, world } = shop
  const services: readonly (readonly [string, Handler])[] = [
    [
      names.payments,
      async ({ body }, { attempt }) => {
        await world.charge(body as Order, attempt)
        await publishNext(shop, shopKeys.shipping, body as Order)
      },
    ],
    [
      names.shipping,
      async ({ body }) => {
        const status = world.book(body as Order)
        if (status === 200) await publishNext(shop, shopKeys.receipts, body as Order)
        return { status }
      },
    ],
    [names.receipts, () => undefined],
  ]
  const consumers = services.map(([queue, handler]) => startService(shop, queue, handler))
  await Promise.all(consumers.map((consumer) => consumer.whenStarted()))
  return consumers
}

export function orderId({ number }: Order): string {
  return `order-${number}`
}

async function publishNext({ publisher, names }: Shop, key: string, order: Order): Promise<void> {
  const { exchange } = names
  const result = await publisher.publish({ exchange, key, messageId: orderId(order), body: order })
  if (result.kind === 'confirmed') return
  throw new Error(`the order was not passed on: ${result.kind}`)
}

function startService(shop: Shop, queue: string, handler: Handler): Consumer {
  const { consuming, publishing, topology, book, ladder } = shop
  const consumer = startConsumer({
    consuming,
    publishing,
    flow: topology.flows.find((flow) => flow.queue === queue)!,
    handler: (message, context) => {
      if (message.id !== undefined) book.move(message.id)
      return handler(message, context)
    },
    options: { concurrency: 200, service: queue },
  })
  consumer.events.on('delivery.settled', ({ message: { id = '' }, attempt, outcome }) => {
    if (outcome.kind === 'retry') {
      ladder.failed(outcome.delay.delayMs)
      book.wait(id, shop.now() + outcome.delay.delayMs)
    } else if (outcome.kind === 'dead-letter') {
      book.park(id)
    } else if (outcome.kind === 'acknowledge') {
      ladder.worked(attempt)
      // An order that was passed on may be at its end by now, so only the last service says where it is.
      if (queue === shop.names.receipts) book.deliver(id)
    }
  })
  return consumer
}
