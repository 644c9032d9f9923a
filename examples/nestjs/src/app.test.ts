import 'reflect-metadata'
import { Test, type TestingModule } from '@nestjs/testing'
import { WarrenTestingBroker, WarrenTestingModule } from '@warrenmq/nestjs/testing'
import { AppModule } from './app.module.js'
import { OrdersService } from './orders.service.js'
import { Payments } from './payments.js'

describe('an order', () => {
  let module: TestingModule
  let broker: WarrenTestingBroker

  beforeEach(async () => {
    module = await Test.createTestingModule({ imports: [AppModule, WarrenTestingModule.forRoot()] }).compile()
    await module.init()
    broker = module.get(WarrenTestingBroker)
  })
  afterEach(() => module.close())

  it('is charged when the bank opens, half an hour later than it was placed', async () => {
    const payments = module.get(Payments)

    expect(await module.get(OrdersService).place({ id: 42, cents: 1999 })).toBe(true)
    await broker.settled()
    expect(payments.charged).toEqual([])
    payments.isOpen = true
    await broker.clock.advance('30m')

    expect(payments.charged).toEqual([42])
  })

  it('is parked with its reason if the bank stays closed', async () => {
    await module.get(OrdersService).place({ id: 42, cents: 1999 })
    await broker.settled()
    await broker.clock.advance('30m')

    const parked = broker.inspect('billing.orders.dlq')?.messages ?? []
    expect(parked).toHaveLength(1)
    expect(JSON.stringify(parked[0]?.headers)).toContain('the bank is closed')
  })
})
