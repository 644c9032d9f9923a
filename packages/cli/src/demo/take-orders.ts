import type { Publisher } from 'warrenmq'
import type { OrderBook } from './order-book.ts'
import { writeOrder } from './outside-world.ts'
import { type ShopNames, shopKeys } from './shop-names.ts'
import { orderId } from './start-services.ts'

/** Publishes so many orders and tells how many the broker confirmed. */
export async function takeOrders(fields: {
  readonly count: number
  /** The number of the first one. @default 1 */
  readonly from?: number
  readonly publisher: Publisher
  readonly names: ShopNames
  readonly book: OrderBook
}): Promise<number> {
  const { count, from = 1, publisher, names, book } = fields
  const results = await Promise.all(
    Array.from({ length: count }, (_, index) => {
      const number = from + index
      const order = { number, total: 10 + ((number - 1) % 90) }
      const messageId = orderId(order)
      book.move(messageId)
      return publisher.publish({
        exchange: names.exchange,
        key: shopKeys.payments,
        messageId,
        body: writeOrder(order),
        contentType: 'application/json',
      })
    }),
  )
  return results.filter(({ kind }) => kind === 'confirmed').length
}
