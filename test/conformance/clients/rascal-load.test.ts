import { once } from 'node:events'
import amqplib from 'amqplib'
// @ts-expect-error rascal ships no types
import rascal from 'rascal'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { sharedBroker } from '../../support/shared-broker.ts'
import { type ClientBroker, describeOnBothBrokers } from './on-both-brokers.ts'

type Settle = () => void

interface Subscription extends NodeJS.EventEmitter {
  on(event: 'message', listener: (message: unknown, content: unknown, settle: Settle) => void): this
  on(event: string, listener: (...values: never[]) => void): this
  setChannelPrefetch(count: number): Promise<void>
}

interface Service extends NodeJS.EventEmitter {
  publish(name: string, body: unknown): Promise<NodeJS.EventEmitter>
  subscribe(name: string, overrides?: object): Promise<Subscription>
  getConnections(): readonly { vhost: string; connectionUrl: string }[]
  shutdown(): Promise<void>
}

/** What rascal's README shows of many messages and of several brokers. */
describeOnBothBrokers('rascal', (open) => {
  async function start({ vhost, url }: Pick<ClientBroker, 'vhost' | 'url'>, vhostConfig: object = {}) {
    const config = rascal.withDefaultConfig({
      vhosts: {
        [vhost]: {
          connection: { url, retry: { min: 5, max: 20 } },
          namespace: false,
          queues: ['q'],
          publications: { p: { queue: 'q' } },
          subscriptions: { s: { queue: 'q', retry: { delay: 5 } } },
          ...vhostConfig,
        },
      },
    })
    const service: Service = await rascal.BrokerAsPromised.create(config)
    service.on('error', () => undefined)
    onTestFinished(() => service.shutdown().catch(() => undefined))
    return service
  }

  /** Asked past rascal. */
  async function readyIn(url: string): Promise<number> {
    const connection = await amqplib.connect(url)
    const { messageCount } = await (await connection.createChannel()).checkQueue('q')
    await connection.close()
    return messageCount
  }

  async function publish(service: Service, count: number): Promise<void> {
    await Promise.all(
      Array.from({ length: count }, async (_, at) => once(await service.publish('p', `m${at}`), 'success')),
    )
  }

  test('limits a channel as a whole and changes the limit as it goes, which 4.3 no longer does', async () => {
    const broker = await open()
    const service = await start(broker)
    await publish(service, 6)
    const held: Settle[] = []
    let settled = 0
    const settleFirst = () => {
      held.shift()?.()
      settled += 1
    }
    const subscription = await service.subscribe('s', { prefetch: 0, channelPrefetch: 2 })
    subscription.on('error', () => undefined)
    subscription.on('message', (_message, _content, settle) => held.push(settle))
    await eventually(() => expect(held).toHaveLength(2))

    await subscription.setChannelPrefetch(5)
    settleFirst()

    // There it is taken for the limit of consumers that are yet to come.
    const heldThen = sharedBroker().version.startsWith('4.3') ? 2 : 5
    await eventually(() => expect(held).toHaveLength(heldThen))
    await eventually(async () => expect(await readyIn(broker.url)).toBe(5 - heldThen))
    await eventually(() => {
      while (held.length > 0) settleFirst()
      expect(settled).toBe(6)
    })
  })

  test('takes the first of several brokers that answers, and the next when that one is gone', async () => {
    const broker = await open()
    const [dead, first, second] = [
      await broker.throughProxy(),
      await broker.throughProxy(),
      await broker.throughProxy(),
    ]
    dead.refuse()
    const service = await start(broker, {
      connection: undefined,
      connectionStrategy: 'fixed',
      connections: [dead, first, second].map(({ url }) => ({ url, retry: { min: 5, max: 20 } })),
    })
    const usedFirst = service.getConnections()[0]!.connectionUrl
    const bodies: unknown[] = []
    const subscription = await service.subscribe('s')
    subscription.on('error', () => undefined)
    subscription.on('message', (_message, content, settle) => {
      settle()
      bodies.push(content)
    })
    await publish(service, 1)
    await eventually(() => expect(bodies).toHaveLength(1))

    const back = new Promise((resolve) => service.once('vhost_initialised', resolve))
    first.refuse()
    first.cutAll()
    await back
    const usedThen = service.getConnections()[0]!.connectionUrl
    await publish(service, 1)

    await eventually(() => expect(bodies).toEqual(['m0', 'm0']))
    expect(usedFirst).toContain(`:${new URL(first.url).port}/`)
    expect(usedThen).toContain(`:${new URL(second.url).port}/`)
  })

  test('says that it is busy when publishes wait for a channel, and that it is ready when none does', async () => {
    const service = await start(await open(), {
      publicationChannelPools: { confirmPool: { max: 2, min: 1, autostart: true } },
    })
    const seen: [event: string, { mode: string; max: number }][] = []
    for (const event of ['busy', 'ready']) {
      service.on(event, (stats: { mode: string; max: number }) => seen.push([event, stats]))
    }

    await publish(service, 30)

    await eventually(() => expect(seen.at(-1)?.[0]).toBe('ready'))
    expect(seen[0]).toMatchObject(['busy', { mode: 'confirm', max: 2 }])
    expect(seen.filter(([event]) => event === 'ready')).toHaveLength(1)
  })
})
