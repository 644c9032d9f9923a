import { Injectable } from '@nestjs/common'
import { Test } from '@nestjs/testing'
import { Consume, WarrenConnection, WarrenModule } from '@warrenmq/nestjs'
import { WarrenTestingBroker, WarrenTestingModule } from '@warrenmq/nestjs/testing'
import { expect, it } from 'vitest'
import { openApp } from './open-app.ts'

const url = 'amqp://nobody-is-there'
const options = { url, topology: { queues: { orders: { retry: false } } } } as const

@Injectable()
class Billing {
  @Consume('orders')
  charge() {}
}

@Injectable()
class Misspelt {
  @Consume('ordres')
  charge() {}
}

it('an application that cannot start leaves no consumer, connection and broker behind', async () => {
  const imports = [WarrenModule.forRoot(options), WarrenTestingModule.forRoot()]
  const module = await Test.createTestingModule({ imports, providers: [Billing, Misspelt] })
    .setLogger(false as never)
    .compile()

  await expect(module.init()).rejects.toThrow('The topology has no queue "ordres".')

  const { consuming, consumers } = module.get(WarrenConnection).health()
  expect({ state: consuming.state, consumers }).toEqual({ state: 'closed', consumers: [] })
  const { port } = module.get(WarrenTestingBroker)
  await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } })
})

it('a second forRoot is refused, because each of them would consume every queue', async () => {
  const twice = openApp({ imports: [WarrenModule.forRoot(options), WarrenModule.forRoot({ url })] })

  await expect(twice).rejects.toThrow(
    'WarrenModule.forRoot() is imported twice, and an application has one connection.',
  )
})
