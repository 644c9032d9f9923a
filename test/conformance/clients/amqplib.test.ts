import { once } from 'node:events'
import amqplib, { type Channel, type Options } from 'amqplib'
import callbackApi from 'amqplib/callback_api'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { type ClientBroker, collect, describeOnBothBrokers } from './on-both-brokers.ts'

/** What amqplib's README, its examples and its reference of the channel show. */
describeOnBothBrokers('amqplib', (open) => {
  async function setup(options?: object) {
    const broker = await open()
    const connection = await amqplib.connect(broker.url, options)
    connection.on('error', () => undefined)
    onTestFinished(() => connection.close().catch(() => undefined))
    const channel = await connection.createConfirmChannel()
    channel.on('error', () => undefined)
    return { broker, connection, channel }
  }

  test('connects with an object of options, other credentials and properties of its own', async () => {
    const { hostname, port, username, password, vhost } = await open()
    const connection = await amqplib.connect(
      {
        protocol: 'amqp',
        hostname,
        port,
        username,
        password,
        vhost,
        frameMax: 16_384,
        channelMax: 10,
      },
      {
        credentials: amqplib.credentials.amqplain(username, password),
        clientProperties: { connection_name: 'options' },
      },
    )
    const channel = await connection.createChannel()
    const { queue } = await channel.assertQueue('', { exclusive: true })
    const body = Buffer.alloc(100_000, 'x') // several frames of 16 KiB
    channel.sendToQueue(queue, body)

    const got = await eventually(async () => (await channel.get(queue)) || false)

    expect(got.content.equals(body)).toBe(true)
    expect(connection.connection.serverProperties).toMatchObject({ product: 'RabbitMQ' })
    await connection.close()
  })

  test.each<[string, (broker: ClientBroker) => string, RegExp]>([
    ['a wrong password', (of) => of.url.replace(`:${of.password}@`, ':wrong@'), /403 \(ACCESS-REFUSED\)/],
    [
      'a vhost that is not there',
      (of) => of.url.replace(/\/[^/]*$/, '/nowhere'),
      /Expected ConnectionOpenOk; got <ConnectionClose channel:0>/,
    ],
  ])('is refused with %s', async (_, urlOf, words) => {
    const broker = await open()

    await expect(amqplib.connect(urlOf(broker))).rejects.toThrow(words)
  })

  test('sends and receives through the callback API', async () => {
    const { url } = await open()
    const received = collect<string>(2, (add) => {
      callbackApi.connect(url, (error, connection) => {
        if (error) throw error as Error
        onTestFinished(() => new Promise<void>((resolve) => connection.close(() => resolve())))
        connection.createChannel((_, channel) => {
          channel.assertQueue('tasks')
          channel.consume('tasks', (message) => {
            add(String(message?.content))
            channel.ack(message!)
          })
          channel.sendToQueue('tasks', Buffer.from('something to do'))
          channel.sendToQueue('tasks', Buffer.from('something else'))
        })
      })
    })

    expect(await received).toEqual(['something to do', 'something else'])
  })

  test('shares work between workers, publishes to subscribers, routes by key and by pattern', async () => {
    const { channel, connection } = await setup()
    const other = await connection.createChannel()
    await channel.assertQueue('task_queue', { durable: true })
    const worked = collect<Channel>(4, async (add) => {
      for (const worker of [channel, other]) {
        await worker.prefetch(1)
        await worker.consume('task_queue', (message) => {
          worker.ack(message!)
          add(worker)
        })
      }
    })
    const logs = [
      ['logs', 'fanout', ['']],
      ['direct_logs', 'direct', ['error']],
      ['topic_logs', 'topic', ['kern.*', '#.critical']],
    ] as const
    const { queue } = await channel.assertQueue('', { exclusive: true })
    for (const [exchange, type, keys] of logs) {
      await channel.assertExchange(exchange, type, { durable: false })
      for (const key of keys) await channel.bindQueue(queue, exchange, key)
    }
    const logged = collect<string>(4, (add) =>
      channel.consume(queue, (message) => add(`${message!.fields.exchange} ${message!.fields.routingKey}`), {
        noAck: true,
      }),
    )

    for (const task of 'abcd') channel.sendToQueue('task_queue', Buffer.from(task), { persistent: true })
    channel.publish('logs', 'any', Buffer.from('x'))
    for (const key of ['info', 'error']) channel.publish('direct_logs', key, Buffer.from('x'))
    for (const key of ['kern.info', 'auth.info', 'auth.door.critical'])
      channel.publish('topic_logs', key, Buffer.from('x'))

    expect(new Set(await worked).size).toBe(2)
    expect(await logged).toEqual([
      ...['logs any', 'direct_logs error', 'topic_logs kern.info', 'topic_logs auth.door.critical'],
    ])
  })

  test('asks and is answered over the direct reply address', async () => {
    const { channel, connection } = await setup()
    const server = await connection.createChannel()
    await server.assertQueue('rpc')
    await server.consume('rpc', (message) => {
      const { replyTo, correlationId } = message!.properties
      server.publish('', String(replyTo), Buffer.from(`${message!.content} pong`), {
        correlationId: String(correlationId),
      })
      server.ack(message!)
    })
    const answered = collect<string>(1, (add) =>
      channel.consume(
        'amq.rabbitmq.reply-to',
        (message) => add(`${message!.properties.correlationId as string}: ${message!.content}`),
        { noAck: true },
      ),
    )
    await answeredAddress(channel)

    channel.sendToQueue('rpc', Buffer.from('ping'), {
      correlationId: '5',
      replyTo: 'amq.rabbitmq.reply-to',
    })

    expect(await answered).toEqual(['5: ping pong'])
  })

  test('routes by headers and carries every property there and back', async () => {
    const { channel } = await setup()
    await channel.assertExchange('reports', 'headers')
    await channel.assertQueue('all')
    await channel.assertQueue('any')
    await channel.bindQueue('all', 'reports', '', { 'x-match': 'all', account: 'new', method: 'google' })
    await channel.bindQueue('any', 'reports', '', { 'x-match': 'any', account: 'new', method: 'facebook' })
    const properties = {
      contentType: 'text/plain',
      contentEncoding: 'utf-8',
      priority: 3,
      correlationId: 'c',
      type: 't',
      replyTo: 'r',
      expiration: '60000',
      messageId: 'm',
      timestamp: 1_700_000_000,
      appId: 'a',
      deliveryMode: 2,
      headers: { account: 'new', method: 'google', list: [1, 'two', true], table: { deep: null }, at: 1.5 },
    }

    channel.publish('reports', '', Buffer.from('one'), properties)
    channel.publish('reports', '', Buffer.from('two'), { headers: { method: 'facebook' } })
    await channel.waitForConfirms()

    const first = await channel.get('all')
    expect(first && { ...first.properties }).toMatchObject(properties)
    expect(await channel.get('all')).toBe(false)
    expect(await channel.checkQueue('any')).toMatchObject({ messageCount: 2 })
  })

  test('gets back what nobody takes, before its confirm, and is told of refusals', async () => {
    const { channel } = await setup()
    const told: string[] = []
    channel.on('return', ({ fields }: { fields: { replyCode: number; replyText: string } }) =>
      told.push(`${fields.replyCode} ${fields.replyText}`),
    )
    await channel.assertQueue('small', { maxLength: 1, arguments: { 'x-overflow': 'reject-publish' } })
    const confirm = (what: string) => (error: unknown) => told.push(`${what} ${error ? 'nacked' : 'acked'}`)

    channel.publish('', 'nowhere', Buffer.from('x'), { mandatory: true }, confirm('first'))
    channel.sendToQueue('small', Buffer.from('x'), {}, confirm('second'))
    await channel.waitForConfirms()
    channel.sendToQueue('small', Buffer.from('y'), {}, confirm('third'))
    await expect(channel.waitForConfirms()).rejects.toThrow('message nacked')

    expect(told).toEqual(['312 NO_ROUTE', 'first acked', 'second acked', 'third nacked'])
  })

  test('settles in every way that its channel has', async () => {
    const { channel, connection } = await setup()
    await channel.assertQueue('dead')
    await channel.assertQueue('work', { deadLetterExchange: '', deadLetterRoutingKey: 'dead' })
    for (const body of '12345678') channel.sendToQueue('work', Buffer.from(body))
    await channel.waitForConfirms()
    const take = async () =>
      (await channel.get('work')) as Exclude<Awaited<ReturnType<Channel['get']>>, false>
    const one = await take()
    const two = await take()
    const three = await take()

    channel.ack(one)
    channel.nack(two, false, true)
    channel.reject(three, false)
    const again = await take()
    const four = await take()
    channel.nack(four, true, false)
    const five = await take()
    await channel.recover()
    const fiveAgain = await take()
    await take()
    channel.ackAll()
    await take()
    channel.nackAll(true)
    const seven = await eventually(async () => (await channel.get('work')) || false)

    expect(
      [again, five, fiveAgain, seven].map(({ content, fields }) => [String(content), fields.redelivered]),
    ).toEqual([
      ['2', true],
      ['5', false],
      ['5', true],
      ['7', true],
    ])
    const other = await connection.createChannel()
    await eventually(async () => expect((await other.checkQueue('dead')).messageCount).toBe(3))
    const dead = await other.get('dead', { noAck: true })
    expect(dead).toMatchObject({ properties: { headers: { 'x-first-death-reason': 'rejected' } } })
  })

  test('manages queues, exchanges and bindings, and is told why it may not', async () => {
    const { channel, connection } = await setup()
    await channel.assertExchange('from', 'direct', { autoDelete: false, alternateExchange: 'rest' })
    await channel.assertExchange('to', 'fanout', { internal: true })
    await channel.assertExchange('rest', 'fanout')
    await channel.assertQueue('q', { messageTtl: 60_000, expires: 600_000, maxPriority: 5 })
    await channel.bindExchange('to', 'from', 'key')
    await channel.bindQueue('q', 'to', '')
    await channel.bindQueue('q', 'rest', '')
    for (const key of ['key', 'other']) channel.publish('from', key, Buffer.from(key))
    await channel.waitForConfirms()

    expect(await channel.checkExchange('to')).toEqual({})
    expect(await channel.purgeQueue('q')).toEqual({ messageCount: 2 })
    await channel.unbindExchange('to', 'from', 'key')
    await channel.unbindQueue('q', 'rest', '')
    channel.publish('from', 'key', Buffer.from('lost'))
    channel.sendToQueue('q', Buffer.from('kept'))
    await channel.waitForConfirms()
    const refusals: string[] = []
    const attempt = async (act: (of: Channel) => Promise<unknown>) => {
      const of = await connection.createChannel()
      of.on('error', () => undefined)
      await act(of).catch((error: Error) =>
        refusals.push(error.message.replace(/'[^']*' in vhost '[^']*'/, '…')),
      )
    }
    await attempt((of) => of.deleteQueue('q', { ifEmpty: true }))
    await attempt((of) => of.deleteExchange('to', { ifUnused: true }))
    await attempt((of) => of.assertQueue('q', { messageTtl: 1 }))
    await attempt((of) => of.assertQueue('amq.mine'))
    await attempt((of) => of.checkQueue('nowhere'))

    expect(refusals.map((text) => /(\d+ \([A-Z-]+\) with message "[A-Z_]+)/.exec(text)?.[1])).toEqual([
      '406 (PRECONDITION-FAILED) with message "PRECONDITION_FAILED',
      '406 (PRECONDITION-FAILED) with message "PRECONDITION_FAILED',
      '406 (PRECONDITION-FAILED) with message "PRECONDITION_FAILED',
      '403 (ACCESS-REFUSED) with message "ACCESS_REFUSED',
      '404 (NOT-FOUND) with message "NOT_FOUND',
    ])
    expect(await channel.deleteQueue('q', { ifUnused: true })).toEqual({ messageCount: 1 })
    await channel.deleteExchange('from')
  })

  test('prefers consumers by priority, keeps others out, and hears when its queue is deleted', async () => {
    const { channel, connection } = await setup()
    await channel.assertQueue('q')
    const seen: string[] = []
    const consume = (of: Channel, name: string, options: Options.Consume) =>
      of.consume('q', (message) => seen.push(message ? `${name} ${message.content}` : `${name} cancelled`), {
        noAck: true,
        ...options,
      })
    await consume(channel, 'low', { priority: -1 })
    const { consumerTag } = await consume(channel, 'high', { priority: 5, consumerTag: 'the-high-one' })
    channel.sendToQueue('q', Buffer.from('1'))
    await eventually(() => expect(seen).toEqual(['high 1']))
    await channel.cancel(consumerTag)
    channel.sendToQueue('q', Buffer.from('2'))
    await eventually(() => expect(seen).toEqual(['high 1', 'low 2']))
    const other = await connection.createChannel()
    other.on('error', () => undefined)

    await expect(consume(other, 'alone', { exclusive: true })).rejects.toThrow('403 (ACCESS-REFUSED)')
    await channel.deleteQueue('q')

    await eventually(() => expect(seen).toEqual(['high 1', 'low 2', 'low cancelled']))
    expect(consumerTag).toBe('the-high-one')
  })

  test('reads a stream from its start and from an offset', async () => {
    const { channel, connection } = await setup()
    await channel.assertQueue('log', {
      durable: true,
      arguments: { 'x-queue-type': 'stream', 'x-max-length-bytes': 2_000_000_000 },
    })
    for (const body of ['one', 'two', 'three']) channel.sendToQueue('log', Buffer.from(body))
    await channel.waitForConfirms()
    const read = async (count: number, offset: string | number) => {
      const reader = await connection.createChannel()
      await reader.prefetch(100)
      return collect<string>(count, (add) =>
        reader.consume(
          'log',
          (message) => {
            add(`${message!.properties.headers?.['x-stream-offset'] as number} ${message!.content}`)
            reader.ack(message!)
          },
          { noAck: false, arguments: { 'x-stream-offset': offset } },
        ),
      )
    }

    expect(await read(3, 'first')).toEqual(['0 one', '1 two', '2 three'])
    expect(await read(1, 2)).toEqual(['2 three'])
  })

  test('renews its secret and is closed by an operator with the reason', async () => {
    const { broker, connection } = await setup()
    const closed = once(connection, 'close') as Promise<[Error]>

    await connection.updateSecret(Buffer.from('new secret'), 'because')
    const { pathname, origin, username, password } = new URL(broker.managementUrl)
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
    const call = (method: string, path: string) =>
      fetch(`${origin}${pathname.replace(/\/$/, '')}/api/${path}`, { method, headers: { authorization } })
    const name = await eventually(async () => {
      const answer = await call('GET', `vhosts/${encodeURIComponent(broker.vhost)}/connections`)
      return ((await answer.json()) as { name: string }[])[0]?.name ?? false
    })
    expect((await call('DELETE', `connections/${encodeURIComponent(name)}`)).status).toBe(204)

    expect(String((await closed)[0])).toContain(
      '320 (CONNECTION-FORCED) with message "CONNECTION_FORCED - Closed via management plugin"',
    )
  })

  test('recovers a connection that was cut, sets up again and goes on consuming', async () => {
    const broker = await open()
    const proxy = await broker.throughProxy()
    const seen: string[] = []
    const events: string[] = []
    const connection = await amqplib.connect(proxy.url, {
      recovery: {
        initialDelay: 5,
        maxDelay: 20,
        factor: 2,
        jitter: 0,
        setup: async (model: { createChannel(): Promise<Channel> }) => {
          const channel = await model.createChannel()
          channel.on('error', () => undefined)
          await channel.assertQueue('tasks', { durable: true })
          await channel.consume('tasks', (message) => {
            seen.push(String(message!.content))
            channel.ack(message!)
          })
        },
      },
    } as object)
    onTestFinished(() => connection.close().catch(() => undefined))
    for (const name of ['disconnect', 'connect']) connection.on(name, () => events.push(name))
    connection.on('error', () => undefined)

    proxy.cutAll()
    await eventually(() => expect(events).toEqual(['disconnect', 'connect']))
    const channel = await connection.createConfirmChannel()
    channel.sendToQueue('tasks', Buffer.from('after the cut'))

    await eventually(() => expect(seen).toEqual(['after the cut']))
  })
})

/** The reply consumer is there once the channel has answered something after it. */
async function answeredAddress(channel: Channel): Promise<void> {
  await channel.checkExchange('amq.direct')
}
