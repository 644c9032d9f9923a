import { Injectable } from '@nestjs/common'
import { WarrenPublisher } from '@warrenmq/nestjs'
import type { Order } from './order.js'
import type { messages } from './topology.js'

@Injectable()
export class OrdersService {
  constructor(private readonly publisher: WarrenPublisher<typeof messages>) {}

  /** Says whether the broker has the order. */
  async place(order: Order): Promise<boolean> {
    const result = await this.publisher.publish('OrderPlaced', order)
    return result.kind === 'confirmed'
  }
}
