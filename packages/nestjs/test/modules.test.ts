import { Injectable, Module } from '@nestjs/common'
import { Consume, WarrenModule, type WarrenModuleOptions, type WarrenOptionsFactory } from '@warrenmq/nestjs'
import { describe, expect, it } from 'vitest'
import { type ConsumedMessage, defineTopology } from 'warrenmq'
import { openApp } from './open-app.ts'

const topology = defineTopology({ queues: { orders: { retry: { delays: ['5m'], maxAttempts: 2 } } } })

@Injectable()
class Config {
  readonly url = 'amqp://nobody-is-there'
}

@Module({ providers: [Config], exports: [Config] })
class ConfigModule {}

@Injectable()
class WarrenConfig implements WarrenOptionsFactory {
  constructor(private readonly config: Config) {}

  createWarrenOptions(): WarrenModuleOptions {
    return { url: this.config.url, topology }
  }
}

@Module({ imports: [ConfigModule], providers: [WarrenConfig], exports: [WarrenConfig] })
class WarrenConfigModule {}

describe('WarrenModule.forRootAsync takes its options from', () => {
  it.each([
    [
      'a factory with what it injects',
      {
        imports: [ConfigModule],
        inject: [Config],
        useFactory: async ({ url }: Config) => ({ url, topology }),
      },
    ],
    ['a class, whose dependencies it imports', { imports: [ConfigModule], useClass: WarrenConfig }],
    ['a provider that another module has', { imports: [WarrenConfigModule], useExisting: WarrenConfig }],
  ])('%s', async (_, options) => {
    const handled: unknown[] = []
    @Injectable()
    class Billing {
      @Consume('orders')
      charge(message: ConsumedMessage) {
        handled.push(message.body)
      }
    }
    const { broker, publisher } = await openApp({
      imports: [WarrenModule.forRootAsync(options)],
      providers: [Billing],
    })

    await publisher.publish({ key: 'orders', body: 7 })
    await broker.settled()

    expect(handled).toEqual([7])
  })

  it('one of these, and says so if there is none', () => {
    expect(() => WarrenModule.forRootAsync({})).toThrow('Give it `useFactory`, `useClass` or `useExisting`.')
  })
})

describe('WarrenModule.forFeature', () => {
  it('declares an exchange beside another part that declares it alike, and refuses one that does not', async () => {
    const part = (type: 'topic' | 'fanout') =>
      WarrenModule.forFeature({ exchanges: { events: { type } }, queues: {} })
    const root = WarrenModule.forRoot({ url: 'amqp://nobody-is-there', topology })

    const { broker } = await openApp({ imports: [root, part('topic'), part('topic')] })
    expect(broker.inspect('orders')).toBeDefined()

    await expect(openApp({ imports: [root, part('topic'), part('fanout')] })).rejects.toThrow(
      'Two parts of the topology declare "events" in exchanges, and not alike.',
    )
  })
})
