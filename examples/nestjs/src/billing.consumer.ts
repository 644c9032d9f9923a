import { Injectable, UseFilters } from '@nestjs/common'
import { Consume, MessageBody, On } from '@warrenmq/nestjs'
import type { Order } from './order.js'
import { Payments } from './payments.js'
import { TellFailures } from './tell-failures.filter.js'
import type { messages } from './topology.js'

@Injectable()
@Consume('billing.orders', { concurrency: 5 })
@UseFilters(TellFailures)
export class BillingConsumer {
  constructor(private readonly payments: Payments) {}

  @On<typeof messages>('OrderPlaced')
  async charge(@MessageBody() order: Order): Promise<void> {
    await this.payments.charge(order)
  }
}
