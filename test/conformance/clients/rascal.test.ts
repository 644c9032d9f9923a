import { once } from 'node:events'
import amqplib from 'amqplib'
// @ts-expect-error rascal ships no types
import rascal from 'rascal'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { type ClientBroker, collect, describeOnBothBrokers } from './on-both-brokers.ts'

interface RascalMessage {
  readonly fields: { readonly redelivered: boolean; readonly routingKey: string }
  readonly properties: {
    readonly messageId: string
    readonly replyTo?: string
    readonly headers: Readonly<Record<string, unknown>>
  }
}
type Settle = (error?: Error, recovery?: object | readonly object[]) => void
type OnMessage = (message: RascalMessage, content: unknown, settle: Settle) => void

interface Subscription extends NodeJS.EventEmitter {
  on(event: 'message', listener: OnMessage): this
  on(event: string, listener: (...values: never[]) => void): this
  cancel(): Promise<void>
  setChannelPrefetch(count: number): Promise<void>
}

interface Service extends NodeJS.EventEmitter {
  publish(name: string, body: unknown, overrides?: string | object): Promise<NodeJS.EventEmitter>
  forward(name: string, message: RascalMessage, overrides?: object): Promise<NodeJS.EventEmitter>
  subscribe(name: string, overrides?: object): Promise<Subscription>
  subscribeAll(filter?: (of: { autoCreated?: boolean }) => boolean): Promise<readonly Subscription[]>
  getConnections(): readonly { vhost: string }[]
  purge(): Promise<void>
  bounce(): Promise<void>
  nuke(): Promise<void>
  shutdown(): Promise<void>
  unsubscribeAll(): Promise<void>
}

/** Rascal may wait for ever for a channel that went with its connection; then the broker's end is its own. */
async function shutDown(service: Service): Promise<void> {
  const isLate = new Promise((resolve) => setTimeout(resolve, 5_000).unref())
  await Promise.race([service.shutdown().catch(() => undefined), isLate])
}

/** What rascal's README shows, section by section. */
describeOnBothBrokers('rascal', (open) => {
  async function start(
    vhostConfig: object,
    { more = {}, broker = undefined as ClientBroker | undefined } = {},
  ) {
    const { url, managementUrl, vhost } = broker ?? (await open())
    const config = rascal.withDefaultConfig({
      vhosts: {
        [vhost]: {
          connection: {
            url,
            management: managementUrl,
            retry: { min: 5, max: 20, factor: 2, strategy: 'exponential' },
          },
          namespace: false,
          // Over the HTTP API.
          assert: true,
          ...vhostConfig,
        },
      },
      ...more,
    })
    const service: Service = await rascal.BrokerAsPromised.create(config)
    service.on('error', () => undefined)
    onTestFinished(() => shutDown(service))
    return { service, vhost, url }
  }

  async function succeed(publication: Promise<NodeJS.EventEmitter>): Promise<void> {
    await once(await publication, 'success')
  }

  async function received(
    service: Service,
    name: string,
    count: number,
    settle: (settle: Settle, nth: number) => void = (ack) => ack(),
  ) {
    const subscription = await service.subscribe(name)
    subscription.on('error', () => undefined)
    return collect<readonly [RascalMessage, unknown]>(count, (add) => {
      let nth = 0
      subscription.on('message', (message, content, ackOrNack) => {
        nth += 1
        settle(ackOrNack, nth)
        add([message, content])
      })
    })
  }

  /** How many messages a queue holds, asked past rascal. */
  async function depth(url: string, queue: string): Promise<number> {
    const connection = await amqplib.connect(url)
    connection.on('error', () => undefined)
    try {
      const channel = await connection.createChannel()
      channel.on('error', () => undefined)
      return (await channel.checkQueue(queue)).messageCount
    } finally {
      await connection.close()
    }
  }

  test('sets up exchanges, queues and bindings in shorthand, publishes and subscribes', async () => {
    const { service, vhost, url } = await start({
      exchanges: ['demo_ex', { name: 'all', type: 'fanout' }, { name: 'by_headers', type: 'headers' }],
      queues: ['demo_q', 'copy_q', 'headers_q'],
      bindings: {
        b1: { source: 'demo_ex', destination: 'demo_q', bindingKeys: ['a.b.c', 'x.#'] },
        b2: { source: 'demo_ex', destination: 'all', destinationType: 'exchange' },
        b3: { source: 'all', destination: 'copy_q' },
        b4: { source: 'by_headers', destination: 'headers_q', options: { 'x-match': 'all', foo: 'bar' } },
      },
      publications: {
        demo_pub: { exchange: 'demo_ex', routingKey: 'a.b.c' },
        headers_pub: { exchange: 'by_headers', options: { headers: { foo: 'bar' } } },
      },
      subscriptions: { demo_sub: { queue: 'demo_q', prefetch: 3 } },
    })
    const demo = received(service, 'demo_sub', 3)

    await succeed(service.publish('demo_pub', 'Hello World!'))
    await succeed(service.publish('demo_pub', { id: 1 }, 'x.y'))
    await succeed(
      service.publish('demo_pub', Buffer.from('raw'), {
        routingKey: 'x',
        options: { messageId: 'foo', expiration: 50_000 },
      }),
    )
    await succeed(service.publish('headers_pub', 'by its headers'))

    const messages = await demo
    expect(messages.map(([, content]) => content)).toEqual(['Hello World!', { id: 1 }, Buffer.from('raw')])
    expect(messages[2]?.[0].properties.messageId).toBe('foo')
    await eventually(async () => expect(await depth(url, 'copy_q')).toBe(3))
    expect(await depth(url, 'headers_q')).toBe(1)
    expect(service.getConnections()).toMatchObject([{ vhost }])
  })

  test('makes the vhost if it is missing, and says when one that should be there is not', async () => {
    const broker = await open()
    const [made, missing] = [`${broker.vhost}-made`, `${broker.vhost}-missing`]
    const authorization = `Basic ${Buffer.from(`${broker.username}:${broker.password}`).toString('base64')}`
    const call = (method: string, path: string, body?: object) =>
      fetch(`${new URL(broker.managementUrl).origin}/api/${path}`, {
        method,
        headers: { authorization, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
    onTestFinished(async () => void (await call('DELETE', `vhosts/${made}`)))
    const at = (vhost: string) => ({ ...broker, vhost, url: broker.url.replace(/\/[^/]*$/, `/${vhost}`) })

    const { service } = await start({ queues: ['q'] }, { broker: at(made) })
    await succeed(service.publish(`${made}/q`, 'to a queue'))
    const refusal = start({ assert: false, check: true }, { broker: at(missing) })

    await expect(refusal).rejects.toThrow()
    expect((await call('GET', `vhosts/${made}`)).status).toBe(200)
    expect((await call('GET', `vhosts/${missing}`)).status).toBe(404)
  })

  test('is told what came back and what does not fit what is there', async () => {
    const { service, vhost } = await start({
      exchanges: ['e'],
      queues: { q: { options: { durable: true } } },
    })

    const publication = await service.publish(`${vhost}/e`, 'nobody listens', 'nowhere')
    const [returned] = (await once(publication, 'return')) as [{ fields: { replyText: string } }]

    expect(returned.fields.replyText).toBe('NO_ROUTE')
  })

  test('encrypts, decrypts, and tells what it cannot read', async () => {
    const { service, url } = await start(
      {
        queues: ['q'],
        publications: {
          secret: { queue: 'q', encryption: 'v1' },
          broken: { queue: 'q', options: { contentType: 'application/json' } },
        },
        subscriptions: { s: { queue: 'q' } },
      },
      {
        more: {
          encryption: {
            v1: {
              key: 'f81db52a3b2c717fe65d9a3b7dd04d2a08793e1a28e3083db3ea08db56e7c315',
              ivLength: 16,
              algorithm: 'aes-256-cbc',
            },
          },
        },
      },
    )
    const subscription = await service.subscribe('s')
    const invalid = once(subscription, 'invalid_content') as Promise<[Error, RascalMessage, Settle]>
    const read = collect<unknown>(1, (add) =>
      subscription.on('message', (_, content, settle) => {
        settle()
        add(content)
      }),
    )

    await succeed(service.publish('secret', { pin: 1234 }))
    await succeed(service.publish('broken', Buffer.from('{')))

    expect(await read).toEqual([{ pin: 1234 }])
    const [error, , settle] = await invalid
    settle(error, { strategy: 'nack' })
    await eventually(async () => expect(await depth(url, 'q')).toBe(0))
  })

  const workAndDead = {
    exchanges: ['jobs', 'dead_letters', 'delay', 'retry'],
    queues: {
      work: { options: { arguments: { 'x-dead-letter-exchange': 'dead_letters' } } },
      dead: {},
      'delay:short': { options: { arguments: { 'x-message-ttl': 50, 'x-dead-letter-exchange': 'retry' } } },
    },
    bindings: [
      'jobs[a.b.c] -> work',
      'dead_letters -> dead',
      'delay[delay.short] -> delay:short',
      'retry[work.#] -> work',
    ],
    publications: {
      job: { exchange: 'jobs', routingKey: 'a.b.c' },
      later: { exchange: 'delay', options: { CC: ['delay.short', 'work.a.b.c'] } },
    },
    subscriptions: { work: { queue: 'work', prefetch: 1 }, dead: { queue: 'dead' } },
  }
  const failure = new Error('not yet')

  test.each<[string, object | readonly object[] | undefined, number, boolean]>([
    ['a nack', { strategy: 'nack' }, 1, true],
    ['its default, a nack', undefined, 1, true],
    ['a nack with requeue and a pause', { strategy: 'nack', defer: 5, requeue: true }, 3, false],
    [
      'a republish, then a nack',
      [{ strategy: 'republish', defer: 5, attempts: 2 }, { strategy: 'nack' }],
      3,
      true,
    ],
    ['a republish with an immediate nack', { strategy: 'republish', immediateNack: true }, 1, true],
    [
      'a forward to a delay queue that leads back, then a nack',
      [{ strategy: 'forward', publication: 'later', attempts: 2 }, { strategy: 'nack' }],
      3,
      true,
    ],
    // Rascal's strategy of that name nacks, whatever its README says, on either broker.
    ['an ack', { strategy: 'ack' }, 1, true],
  ])('recovers by %s', async (_, recovery, attempts, endsDead) => {
    const { service, url } = await start(workAndDead)
    const seen = received(service, 'work', attempts, (settle, nth) => {
      if ((recovery as { requeue?: boolean } | undefined)?.requeue) {
        if (nth === attempts) settle()
        else settle(failure, recovery)
      } else settle(failure, recovery)
    })

    await succeed(service.publish('job', { id: 7 }))

    expect((await seen).map(([, content]) => content)).toEqual(Array(attempts).fill({ id: 7 }))
    await eventually(async () => expect(await depth(url, 'dead')).toBe(endsDead ? 1 : 0))
    expect(await depth(url, 'work')).toBe(0)
    if (endsDead) {
      const [[message]] = (await received(service, 'dead', 1)) as [[RascalMessage, unknown]]
      expect(message.properties.headers['x-first-death-reason']).toBeDefined()
    }
  })

  test('counts redeliveries and stops at its limit', async () => {
    const { service, vhost } = await start(
      {
        queues: ['q'],
        subscriptions: { s: { queue: 'q', prefetch: 1, redeliveries: { limit: 3, counter: 'here' } } },
      },
      { more: { redeliveries: { counters: { here: { type: 'inMemory', size: 10 } } } } },
    )
    const subscription = await service.subscribe('s')
    const exceeded = once(subscription, 'redeliveries_exceeded') as Promise<[Error, RascalMessage, Settle]>
    let deliveries = 0
    subscription.on('message', (_message, _content, settle) => {
      deliveries += 1
      settle(failure, { strategy: 'nack', requeue: true })
    })

    await succeed(service.publish(`${vhost}/q`, 'x'))

    const [, , settle] = await exceeded
    settle()
    expect(deliveries).toBe(4)
  })

  test('forwards, shovels, replies to its own queue and reads a stream', async () => {
    const { service } = await start(
      {
        exchanges: ['e'],
        queues: {
          from: {},
          to: {},
          forwarded: {},
          replies: { replyTo: 'the-instance', options: { exclusive: false } },
          stream: { options: { arguments: { 'x-queue-type': 'stream' } } },
        },
        bindings: ['e[forward] -> forwarded'],
        publications: {
          start: { queue: 'from', replyTo: 'replies' },
          to: { queue: 'to' },
          forward: { exchange: 'e', routingKey: 'forward' },
          log: { queue: 'stream' },
        },
        subscriptions: {
          from: { queue: 'from' },
          to: { queue: 'to' },
          forwarded: { queue: 'forwarded' },
          stream: { queue: 'stream', prefetch: 5 },
        },
      },
      { more: { shovels: ['from -> to'] } },
    )
    await succeed(service.publish('start', 'moves on'))
    const [[shovelled]] = (await received(service, 'to', 1)) as [[RascalMessage, unknown]]
    await succeed(service.forward('forward', shovelled))
    const [[forwarded, content]] = (await received(service, 'forwarded', 1)) as [[RascalMessage, unknown]]
    for (const body of ['one', 'two']) await succeed(service.publish('log', body))
    const subscription = await service.subscribe('stream', {
      options: { arguments: { 'x-stream-offset': 'first' } },
    })
    const logged = await collect<unknown>(2, (add) =>
      subscription.on('message', (message, body, settle) => {
        settle()
        add([message.properties.headers['x-stream-offset'], body])
      }),
    )

    expect(content).toBe('moves on')
    expect(forwarded.properties.replyTo).toBe('replies:the-instance')
    expect(forwarded.fields.routingKey).toBe('forward')
    expect(logged).toEqual([
      [0, 'one'],
      [1, 'two'],
    ])
  })

  test('subscribes to all, cancels, purges, bounces and takes its topology away again', async () => {
    const { service, vhost, url } = await start({
      assert: false,
      queues: ['q', 'r'],
      subscriptions: { s: { queue: 'q' } },
    })
    const subscriptions = await service.subscribeAll((each) => !each.autoCreated)
    for (const each of subscriptions) each.on('message', (_message, _content, settle) => settle())

    await subscriptions[0]!.cancel()
    await succeed(service.publish(`${vhost}/q`, 'stays'))
    const before = await depth(url, 'q')
    await service.unsubscribeAll()
    await service.purge()
    await service.bounce()
    const after = await depth(url, 'q')
    await service.nuke()

    expect(subscriptions).toHaveLength(1)
    expect([before, after]).toEqual([1, 0])
    await expect(depth(url, 'q')).rejects.toThrow('404 (NOT-FOUND)')
  })

  test('hears that its queue was deleted, and resubscribes after the connection was cut', async () => {
    const broker = await open()
    const proxy = await broker.throughProxy()
    const { service, vhost } = await start(
      {
        queues: ['q', 'doomed'],
        subscriptions: { s: { queue: 'q', retry: { delay: 5 } }, d: { queue: 'doomed', retry: false } },
      },
      { broker: { ...broker, url: proxy.url } },
    )
    const doomed = await service.subscribe('d')
    doomed.on('message', () => undefined)
    doomed.on('error', () => undefined)
    const seen: unknown[] = []
    const subscription = await service.subscribe('s')
    subscription.on('error', () => undefined)
    subscription.on('message', (_message, content, settle) => {
      settle()
      seen.push(content)
    })
    await succeed(service.publish(`${vhost}/q`, 'before'))
    await eventually(() => expect(seen).toEqual(['before']))

    const cancelled = once(doomed, 'cancel')
    const connection = await amqplib.connect(broker.url)
    await (await connection.createChannel()).deleteQueue('doomed')
    await connection.close()
    await cancelled
    const back = new Promise((resolve) => service.once('vhost_initialised', resolve))
    proxy.cutAll()
    await back
    await succeed(service.publish(`${vhost}/q`, 'after'))

    await eventually(() => expect(seen).toEqual(['before', 'after']))
  })
})
