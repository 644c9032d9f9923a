import { Module } from '@nestjs/common'
import { WarrenModule } from '@warrenmq/nestjs'
import { BillingConsumer } from './billing.consumer.js'
import { Payments } from './payments.js'

@Module({
  imports: [
    WarrenModule.forFeature({
      queues: {
        'billing.orders': {
          bind: [{ exchange: 'orders.events', key: 'order.placed' }],
          retry: { delays: ['5s', '30s', '5m'], maxAttempts: 4 },
        },
      },
    }),
  ],
  providers: [BillingConsumer, Payments],
  exports: [Payments],
})
export class BillingModule {}
