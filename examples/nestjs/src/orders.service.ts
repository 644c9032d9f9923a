import { Injectable } from '@nestjs/common'
import { WarrenPublisher } from '@warrenmq/nestjs'
import type { Order } from './order.js'

@Injectable()
export class OrdersService {
  constructor(private readonly publisher: WarrenPublisher) {}

  /** Says whether the broker has the order. */
  async place(order: Order): Promise<boolean> {
    const result = await this.publisher.publish({
      exchange: 'orders.events',
      key: 'order.placed',
      body: order,
    })
    return result.kind === 'confirmed'
  }
}
