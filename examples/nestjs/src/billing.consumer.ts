import { Injectable } from '@nestjs/common'
import { Consume, MessageBody } from '@warrenmq/nestjs'
import type { Order } from './order.js'
import { Payments } from './payments.js'

@Injectable()
export class BillingConsumer {
  constructor(private readonly payments: Payments) {}

  @Consume('billing.orders', { concurrency: 5 })
  async charge(@MessageBody() order: Order): Promise<void> {
    await this.payments.charge(order)
  }
}
