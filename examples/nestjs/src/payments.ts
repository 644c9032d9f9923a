import { Injectable, ServiceUnavailableException } from '@nestjs/common'
import type { Order } from './order.js'

/** Stands for the API of a bank, which is closed until somebody opens it. */
@Injectable()
export class Payments {
  readonly charged: number[] = []
  isOpen = false

  async charge(order: Order): Promise<void> {
    if (!this.isOpen) throw new ServiceUnavailableException('the bank is closed')
    this.charged.push(order.id)
  }
}
