import { Module } from '@nestjs/common'
import { WarrenModule } from '@warrenmq/nestjs'
import { BillingModule } from './billing.module.js'
import { OrdersService } from './orders.service.js'
import { sharedTopology } from './topology.js'

@Module({
  imports: [
    WarrenModule.forRootAsync({
      useFactory: () => ({ url: process.env.AMQP_URL ?? 'amqp://localhost', topology: sharedTopology }),
    }),
    BillingModule,
  ],
  providers: [OrdersService],
})
export class AppModule {}
