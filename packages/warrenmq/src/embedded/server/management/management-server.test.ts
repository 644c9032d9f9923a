import amqplib from 'amqplib'
import { afterEach, expect, test } from 'vitest'
import { type EmbeddedBroker, startEmbeddedBroker } from '../../start-embedded-broker.ts'

const running: EmbeddedBroker[] = []
afterEach(async () => {
  for (const broker of running.splice(0)) await broker.stop()
})

type Call = (method: string, path: string, body?: object) => Promise<{ status: number; json: unknown }>

async function setup(
  profile: '3.10' | '4.0' | '4.3' = '4.3',
): Promise<{ broker: EmbeddedBroker; call: Call }> {
  const broker = await startEmbeddedBroker({ profile })
  running.push(broker)
  const base = `http://127.0.0.1:${broker.managementPort}/api/`
  const authorization = `Basic ${Buffer.from('guest:guest').toString('base64')}`
  return {
    broker,
    call: async (method, path, body) => {
      const response = await fetch(base + path, {
        method,
        headers: { authorization },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      const text = await response.text()
      return { status: response.status, json: text === '' ? undefined : JSON.parse(text) }
    },
  }
}

test('a queue that is made, found, filled, looked into and deleted', async () => {
  const { call } = await setup()
  const made = await call('PUT', 'queues/%2F/a%2Fb', {
    durable: true,
    arguments: { 'x-queue-type': 'quorum' },
  })
  const again = await call('PUT', 'queues/%2F/a%2Fb', {
    durable: true,
    arguments: { 'x-queue-type': 'quorum' },
  })
  const published = await call('POST', 'exchanges/%2F/amq.default/publish', {
    routing_key: 'a/b',
    payload: 'hello',
    payload_encoding: 'string',
    properties: { delivery_mode: 2, headers: { kind: 'greeting' } },
  })
  const got = await call('POST', 'queues/%2F/a%2Fb/get', {
    count: 5,
    ackmode: 'ack_requeue_true',
    encoding: 'auto',
  })
  const shown = await call('GET', 'queues/%2F/a%2Fb')
  const deleted = await call('DELETE', 'queues/%2F/a%2Fb')
  const missing = await call('GET', 'queues/%2F/a%2Fb')

  expect([made.status, again.status, deleted.status, missing.status]).toEqual([201, 204, 204, 404])
  expect(published.json).toEqual({ routed: true })
  expect(got.json).toMatchObject([
    { payload: 'hello', redelivered: false, message_count: 0, properties: { headers: { kind: 'greeting' } } },
  ])
  expect(shown.json).toMatchObject({ name: 'a/b', messages_ready: 1, delivery_limit: 20, type: 'quorum' })
})

test('a queue that is asked for with another argument is refused with the argument named', async () => {
  const { call } = await setup('3.10')
  await call('PUT', 'queues/%2F/q', { durable: true, arguments: { 'x-message-ttl': 1000 } })

  const refused = await call('PUT', 'queues/%2F/q', { durable: true, arguments: { 'x-message-ttl': 2000 } })

  expect(refused).toEqual({
    status: 400,
    json: {
      error: 'bad_request',
      reason:
        "inequivalent arg 'x-message-ttl' for queue 'q' in vhost '/': received '2000' but current is '1000'",
    },
  })
})

test('definitions that are exported can be imported, and what differs stays as it is', async () => {
  const { call } = await setup()
  const definitions = {
    queues: [{ name: 'work', durable: true, auto_delete: false, arguments: { 'x-message-ttl': 1000 } }],
    exchanges: [
      { name: 'events', type: 'topic', durable: true, auto_delete: false, internal: false, arguments: {} },
    ],
    bindings: [
      { source: 'events', destination: 'work', destination_type: 'queue', routing_key: 'a.#', arguments: {} },
    ],
    policies: [
      { name: 'p', pattern: '^w', definition: { 'max-length': 5 }, priority: 1, 'apply-to': 'queues' },
    ],
  }
  const imported = await call('POST', 'definitions/%2F', definitions)
  const other = [{ ...definitions.queues[0]!, arguments: { 'x-message-ttl': 2000 } }]
  const differing = await call('POST', 'definitions/%2F', { queues: other })

  const exported = await call('GET', 'definitions/%2F')

  expect([imported.status, differing.status]).toEqual([204, 204])
  expect(exported.json).toMatchObject({
    queues: [{ name: 'work', arguments: { 'x-message-ttl': 1000 } }],
    exchanges: [{ name: 'events', type: 'topic' }],
    bindings: [{ source: 'events', destination: 'work', routing_key: 'a.#' }],
    policies: [{ name: 'p', definition: { 'max-length': 5 } }],
  })
})

test('a connection is listed and can be closed by an operator, with the reason told to the client', async () => {
  const { broker, call } = await setup()
  const connection = await amqplib.connect(broker.url)
  const closed = new Promise<Error>((resolve) => {
    connection.on('close', resolve)
  })
  const { json } = await call('GET', 'connections')
  const [listed] = json as { name: string; user: string }[]

  const answer = await call('DELETE', `connections/${encodeURIComponent(listed!.name)}`)

  expect(listed).toMatchObject({ user: 'guest', vhost: '/' })
  expect(answer.status).toBe(204)
  expect((await closed).message).toContain('CONNECTION_FORCED - Closed via management plugin')
})

test('a user with the wrong password is not let in', async () => {
  const { broker } = await setup()

  const response = await fetch(`http://127.0.0.1:${broker.managementPort}/api/overview`, {
    headers: { authorization: `Basic ${Buffer.from('guest:wrong').toString('base64')}` },
  })

  expect(response.status).toBe(401)
  expect(await response.json()).toMatchObject({ error: 'not_authorized' })
})

test('a list comes by name, and in pages when pages are asked for', async () => {
  const { call } = await setup()
  for (const name of ['one', 'two', 'three']) await call('PUT', `queues/%2F/${name}`, { durable: true })

  const { json } = await call('GET', 'queues/%2F?page=2&page_size=2')

  expect(json).toMatchObject({ page: 2, page_count: 2, total_count: 3, items: [{ name: 'two' }] })
})

test('a user who may not configure is refused over AMQP, in the words of the version', async () => {
  const { broker, call } = await setup()
  await call('PUT', 'users/reader', { password: 'secret', tags: '' })
  await call('PUT', 'permissions/%2F/reader', { configure: '', write: '', read: '.*' })
  const connection = await amqplib.connect(broker.url.replace('guest:guest', 'reader:secret'))
  const channel = await connection.createChannel()
  channel.on('error', () => undefined)

  await expect(channel.assertQueue('mine')).rejects.toThrow(
    "ACCESS_REFUSED - configure access to queue 'mine' in vhost '/' refused for user 'reader'",
  )
  await connection.close()
})

test('a connection is shown with the limits that it has negotiated', async () => {
  const { broker, call } = await setup()
  const connection = await amqplib.connect(`${broker.url}?channelMax=7&frameMax=65536`)

  const { json } = await call('GET', 'connections')
  await connection.close()

  expect(json).toMatchObject([{ channel_max: 7, frame_max: 65_536 }])
})

test('patterns that PCRE and JavaScript read alike are taken, others are refused and say so', async () => {
  const { broker, call } = await setup()
  const policy = { definition: { 'max-length': 1 }, 'apply-to': 'queues' }
  const permission = { configure: '(?i)^ORDERS\\-', write: '\\Aamq\\.default\\z', read: '^orders\\_' }
  await call('PUT', 'users/clerk', { password: 'secret', tags: '' })

  const taken = [
    await call('PUT', 'policies/%2F/short', { ...policy, pattern: '(?i)^ORDERS\\-' }),
    await call('PUT', 'permissions/%2F/clerk', permission),
  ]
  const refused = [
    await call('PUT', 'policies/%2F/posix', { ...policy, pattern: '^[[:alpha:]]+$' }),
    await call('PUT', 'permissions/%2F/clerk', { ...permission, read: '\\p{L}' }),
    await call('PUT', 'permissions/%2F/clerk', { ...permission, read: '(' }),
  ]

  expect(taken.map(({ status }) => status)).toEqual([201, 201])
  expect(refused).toMatchObject([
    { status: 400, json: { reason: expect.stringContaining('[[:alpha:] in a pattern is not modelled') } },
    { status: 400, json: { reason: '\\p in a pattern is not modelled by the embedded broker' } },
    { status: 400, json: { reason: 'read is no regular expression: (' } },
  ])
  const connection = await amqplib.connect(broker.url.replace('guest:guest', 'clerk:secret'))
  connection.on('error', () => undefined)
  const channel = await connection.createConfirmChannel()
  channel.on('error', () => undefined)
  await channel.assertQueue('Orders-new')
  for (const body of ['a', 'b']) channel.sendToQueue('Orders-new', Buffer.from(body))
  await channel.waitForConfirms()
  expect(broker.inspect('Orders-new')?.counts.ready).toBe(1)
  await expect(channel.get('Orders-new')).rejects.toThrow('ACCESS_REFUSED')
})
