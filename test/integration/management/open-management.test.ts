import amqplib from 'amqplib'
import { afterAll, describe, expect, it } from 'vitest'
import {
  type Management,
  openManagement,
} from '../../../packages/warrenmq/src/broker/management/open-management.ts'
import { isAtLeast, parseBrokerVersion } from '../../../packages/warrenmq/src/message/broker-version.ts'
import { eventually } from '../../support/eventually.ts'
import { createVhost, useBroker } from '../../support/use-broker.ts'

const broker = await useBroker()
const { vhost } = broker
const version = parseBrokerVersion(broker.version)
const management = openAs(broker.username, broker.password)

function openAs(username: string, password: string): Management {
  const url = new URL(broker.managementUrl)
  url.username = encodeURIComponent(username)
  url.password = encodeURIComponent(password)
  const opened = openManagement(url.href)
  afterAll(opened.close)
  return opened
}

let names = 0
const freshName = (kind: string) => `${kind} ${++names}/?#%`

async function createQueue(type: 'classic' | 'quorum' = 'classic', more: Record<string, unknown> = {}) {
  const queue = { vhost, name: freshName('queue') }
  await management.queues.create({ ...queue, arguments: { 'x-queue-type': type, ...more } })
  return queue
}

async function publish(queue: string, bodies: readonly string[]) {
  const connection = await amqplib.connect(broker.url)
  const channel = await connection.createConfirmChannel()
  for (const body of bodies) channel.sendToQueue(queue, Buffer.from(body), { headers: { tenant: 'blue' } })
  await channel.waitForConfirms()
  await connection.close()
}

describe('the broker', () => {
  it('says what it is and where it listens', async () => {
    const overview = await management.overview()

    expect(overview).toMatchObject({ product: 'RabbitMQ', version: broker.version })
    expect(overview.clusterName).toBeTypeOf('string')
    expect(overview.listeners.map(({ protocol }) => protocol)).toEqual(
      expect.arrayContaining(['amqp', 'http']),
    )
    const amqp = overview.listeners.find(({ protocol }) => protocol === 'amqp')
    expect(amqp?.port).toBe(Number(new URL(broker.url).port))
  })

  it('says who is logged in', async () => {
    expect(await management.whoAmI()).toEqual({ name: broker.username, tags: ['administrator'] })
  })

  it('lists its feature flags', async () => {
    const flags = await management.featureFlags()

    expect(flags.find(({ name }) => name === 'quorum_queue')).toMatchObject({ state: 'enabled' })
  })

  it('has no alarms when it is well', async () => {
    expect(await management.health()).toEqual({ isHealthy: true, alarms: [] })
  })
})

describe('queues', () => {
  it('are created once and then found equal', async () => {
    const queue = {
      vhost,
      name: freshName('queue'),
      arguments: { 'x-queue-type': 'quorum', 'x-message-ttl': 60_000 },
    }

    expect(await management.queues.create(queue)).toBe('created')
    expect(await management.queues.create(queue)).toBe('existing')
    expect(await management.queues.find(queue)).toMatchObject({
      vhost,
      name: queue.name,
      type: 'quorum',
      durable: true,
      autoDelete: false,
      exclusive: false,
      arguments: queue.arguments,
    })
  })

  it('are refused with the broker’s reason when they differ', async () => {
    const queue = await createQueue('classic', { 'x-message-ttl': 1_000 })

    await expect(
      management.queues.create({
        ...queue,
        arguments: { 'x-queue-type': 'classic', 'x-message-ttl': 2_000 },
      }),
    ).rejects.toMatchObject({
      code: 'MANAGEMENT_REFUSED',
      status: 400,
      message: expect.stringContaining("inequivalent arg 'x-message-ttl'"),
    })
  })

  it('are refused with a hint where RabbitMQ 4 cannot say its reason for a name beyond ASCII', async () => {
    const queue = { vhost, name: 'größer', arguments: { 'x-message-ttl': 1_000 } }
    await management.queues.create(queue)

    const refused = management.queues.create({ ...queue, arguments: { 'x-message-ttl': 2_000 } })

    await expect(refused).rejects.toThrow(
      /inequivalent arg 'x-message-ttl'|perhaps it exists with other arguments/,
    )
    expect(await management.queues.find(queue)).toMatchObject({ name: 'größer' })
  })

  it('report the argument that RabbitMQ 4 adds by itself', async () => {
    const queue = { vhost, name: freshName('queue') }
    await management.queues.create(queue)

    const found = await management.queues.find(queue)

    expect(found?.arguments).toEqual(isAtLeast(version, '4.0') ? { 'x-queue-type': 'classic' } : {})
  })

  it('that do not exist are undefined, and cannot be deleted', async () => {
    const queue = { vhost, name: 'nobody' }

    expect(await management.queues.find(queue)).toBeUndefined()
    await expect(management.queues.delete(queue)).rejects.toMatchObject({
      code: 'MANAGEMENT_NOT_FOUND',
      message: expect.stringContaining(`There is no queue "nobody" in vhost "${vhost}"`),
    })
  })

  it('are listed in pages, each once', async () => {
    const crowd = await createVhost()
    const wanted = Array.from({ length: 23 }, (_, index) => `crowd-${String(index).padStart(2, '0')}`)
    await Promise.all(wanted.map((name) => management.queues.create({ vhost: crowd.vhost, name })))

    for (const mode of ['totals', 'detailed'] as const) {
      const queues = await management.queues.list({ vhost: crowd.vhost, mode, pageSize: 5 })
      expect(queues.map(({ name }) => name).toSorted()).toEqual(wanted)
    }
    await crowd.drop()
  })

  it('show their depth in the cheap list', async () => {
    const queue = await createQueue()
    await publish(queue.name, ['a', 'b', 'c'])

    await eventually(async () => {
      const queues = await management.queues.list({ vhost })
      expect(queues.find(({ name }) => name === queue.name)).toMatchObject({ messages: 3, messagesReady: 3 })
    })
  })

  it('show policy, limit and depth in detail', async () => {
    const queue = await createQueue('quorum')
    const policy = {
      vhost,
      name: 'limits',
      pattern: `^${queue.name.replaceAll('?', '\\?')}$`,
      applyTo: 'queues',
      definition: { 'delivery-limit': 7 },
      priority: 3,
    }
    await management.policies.put(policy)
    await publish(queue.name, ['a'])

    await eventually(async () => {
      const found = await management.queues.find(queue)
      expect(found).toMatchObject({
        policy: 'limits',
        effectivePolicy: { 'delivery-limit': 7 },
        messages: 1,
      })
      expect(found?.deliveryLimit).toBe(isAtLeast(version, '4.0') ? 7 : undefined)
    })
    await management.policies.delete(policy)
  })

  it('have an effective policy of the same shape when none applies', async () => {
    const queue = await createQueue()

    await eventually(async () => {
      const listed = (await management.queues.list({ vhost, mode: 'detailed' })).find(
        ({ name }) => name === queue.name,
      )
      expect(listed?.effectivePolicy).toEqual({})
    })
  })

  it('that hold messages are not deleted if they must be empty', async () => {
    const queue = await createQueue()
    await publish(queue.name, ['a'])

    await expect(management.queues.delete(queue, { ifEmpty: true })).rejects.toMatchObject({
      code: 'MANAGEMENT_REFUSED',
    })
    await management.queues.purge(queue)
    await management.queues.delete(queue, { ifEmpty: true, ifUnused: true })

    expect(await management.queues.find(queue)).toBeUndefined()
  })

  it('give messages to look at and keep them', async () => {
    const queue = await createQueue()
    await publish(queue.name, ['first', 'sécond'])
    const look = () => management.getMessages({ ...queue, count: 5, mode: 'ack_requeue_true' })

    const messages = await look()

    expect(messages.map(({ body }) => body.toString())).toEqual(['first', 'sécond'])
    expect(messages[0]).toMatchObject({
      exchange: '',
      routingKey: queue.name,
      isRedelivered: false,
      headers: { tenant: 'blue' },
      messageCount: 1,
    })
    expect((await look()).map(({ isRedelivered }) => isRedelivered)).toEqual([true, true])
  })
})

describe('exchanges and bindings', () => {
  async function createExchange(type = 'topic') {
    const exchange = { vhost, name: freshName('exchange') }
    await management.exchanges.create({ ...exchange, type })
    return exchange
  }

  it('are created once, found and deleted', async () => {
    const exchange = {
      vhost,
      name: freshName('exchange'),
      type: 'fanout',
      arguments: { 'alternate-exchange': 'amq.fanout' },
    }

    expect(await management.exchanges.create(exchange)).toBe('created')
    expect(await management.exchanges.create(exchange)).toBe('existing')
    expect(await management.exchanges.find(exchange)).toMatchObject({
      name: exchange.name,
      type: 'fanout',
      durable: true,
      autoDelete: false,
      internal: false,
      arguments: { 'alternate-exchange': 'amq.fanout' },
    })
    await management.exchanges.delete(exchange)
    expect(await management.exchanges.find(exchange)).toBeUndefined()
  })

  it('include the default exchange under its empty name', async () => {
    expect(await management.exchanges.find({ vhost, name: '' })).toMatchObject({ name: '', type: 'direct' })
    expect((await management.exchanges.list({ vhost })).map(({ name }) => name)).toContain('')
  })

  it('keep an exchange that is bound if it must be unused', async () => {
    const exchange = await createExchange()
    const queue = await createQueue()
    const binding = {
      vhost,
      source: exchange.name,
      destination: queue.name,
      destinationType: 'queue' as const,
      routingKey: 'order.#',
      arguments: {},
    }
    await management.bindings.create(binding)

    await expect(management.exchanges.delete(exchange, { ifUnused: true })).rejects.toMatchObject({
      code: 'MANAGEMENT_REFUSED',
    })
    await management.bindings.delete(binding)
    await management.exchanges.delete(exchange, { ifUnused: true })
  })

  it('delete exactly the binding that is meant', async () => {
    const exchange = await createExchange('headers')
    const queue = await createQueue()
    const ends = { vhost, source: exchange.name, destination: queue.name, destinationType: 'queue' as const }
    const all = [
      { ...ends, routingKey: '', arguments: {} },
      { ...ends, routingKey: 'a/b~c', arguments: {} },
      { ...ends, routingKey: '', arguments: { tenant: 'blue', 'x-match': 'all' } },
      { ...ends, routingKey: '', arguments: { tenant: 'red', 'x-match': 'all' } },
    ]
    for (const binding of all) await management.bindings.create(binding)
    const live = async () => {
      const listed = await management.bindings.list({ vhost })
      return listed
        .filter(({ source }) => source === exchange.name)
        .map(({ routingKey, arguments: args }) => JSON.stringify([routingKey, args]))
        .toSorted()
    }
    const expected = (left: typeof all) =>
      left.map(({ routingKey, arguments: args }) => JSON.stringify([routingKey, args])).toSorted()
    expect(await live()).toEqual(expected(all))

    await management.bindings.delete({ ...all[2]!, arguments: { 'x-match': 'all', tenant: 'blue' } })
    expect(await live()).toEqual(expected([all[0]!, all[1]!, all[3]!]))

    await management.bindings.delete(all[1]!)
    expect(await live()).toEqual(expected([all[0]!, all[3]!]))

    await expect(management.bindings.delete(all[1]!)).rejects.toMatchObject({ code: 'MANAGEMENT_NOT_FOUND' })
  })

  it('bind an exchange to an exchange', async () => {
    const [source, destination] = [await createExchange(), await createExchange()]
    const binding = {
      vhost,
      source: source.name,
      destination: destination.name,
      destinationType: 'exchange' as const,
      routingKey: '#',
      arguments: {},
    }

    await management.bindings.create(binding)

    const listed = await management.bindings.list({ vhost })
    expect(listed.find((each) => each.source === source.name)).toMatchObject(binding)
    await management.bindings.delete(binding)
  })

  it('name the end that is missing', async () => {
    const binding = {
      vhost,
      source: 'amq.topic',
      destination: 'nobody',
      destinationType: 'queue' as const,
      routingKey: '#',
      arguments: {},
    }

    await expect(management.bindings.create(binding)).rejects.toThrow("no queue 'nobody'")
  })
})

describe('policies', () => {
  it.each(['policies', 'operatorPolicies'] as const)('%s are put, listed and deleted', async (kind) => {
    const policy = {
      vhost,
      name: freshName('policy'),
      pattern: '^nothing$',
      applyTo: 'queues',
      definition: { 'max-length': 10 },
      priority: 2,
    }

    await management[kind].put(policy)
    expect(await management[kind].list({ vhost })).toEqual([policy])
    await management[kind].delete(policy)

    expect(await management[kind].list({ vhost })).toEqual([])
  })

  it('are refused with the broker’s reason', async () => {
    const policy = {
      vhost,
      name: 'bad',
      pattern: '.*',
      applyTo: 'queues',
      definition: { 'max-length': 'many' },
      priority: 0,
    }

    await expect(management.policies.put(policy)).rejects.toThrow('<<"many">> is not a valid maximum length')
  })
})

describe('vhosts, users and permissions', () => {
  it('are created, listed and deleted', async () => {
    const name = `${vhost}/sub`
    await management.vhosts.create({ name, description: 'for a test' })
    await management.users.put({ name: `${vhost}-jane`, password: 'p', tags: ['management', 'policymaker'] })
    const permission = { vhost: name, user: `${vhost}-jane`, configure: '^a', write: '.*', read: '' }
    await management.permissions.put(permission)

    expect(await management.vhosts.find(name)).toMatchObject({ name, description: 'for a test' })
    expect((await management.vhosts.list()).map((each) => each.name)).toContain(name)
    const users = await management.users.list()
    expect(users.find((user) => user.name === `${vhost}-jane`)).toEqual({
      name: `${vhost}-jane`,
      tags: ['management', 'policymaker'],
    })
    expect(await management.permissions.list({ vhost: name })).toContainEqual(permission)

    await management.users.delete(`${vhost}-jane`)
    await management.vhosts.delete(name)
    expect(await management.vhosts.find(name)).toBeUndefined()
  })
})

describe('a user who is not allowed', () => {
  async function createUser(tags: readonly string[]) {
    const name = `${vhost}-${freshName('user')}`
    await management.users.put({ name, password: 'p@ss/word', tags })
    return { name, client: openAs(name, 'p@ss/word'), remove: () => management.users.delete(name) }
  }

  it('with a wrong password is refused the login', async () => {
    await expect(openAs(broker.username, 'wrong').overview()).rejects.toMatchObject({
      code: 'MANAGEMENT_UNAUTHORIZED',
      status: 401,
    })
  })

  it('without a tag is told the tag', async () => {
    const user = await createUser([])

    await expect(user.client.overview()).rejects.toMatchObject({
      code: 'MANAGEMENT_FORBIDDEN',
      message: expect.stringContaining('needs the tag "management"'),
    })
    await user.remove()
  })

  it('without the tag for it is told the tag', async () => {
    const user = await createUser(['management'])

    await expect(user.client.definitions.export()).rejects.toMatchObject({
      code: 'MANAGEMENT_FORBIDDEN',
      message: expect.stringContaining('needs the tag "administrator"'),
    })
    await user.remove()
  })

  it('without permissions on the vhost cannot see it', async () => {
    const user = await createUser(['management'])

    // 4.3 says "not found" here, older ones "not authorised".
    await expect(user.client.queues.list({ vhost })).rejects.toMatchObject({
      code: expect.stringMatching(/^MANAGEMENT_(FORBIDDEN|NOT_FOUND)$/),
      message: expect.stringContaining(user.name),
    })
    await user.remove()
  })
})

describe('definitions', () => {
  it('of a vhost move to another vhost', async () => {
    const [from, to] = [await createVhost(), await createVhost()]
    await management.queues.create({
      vhost: from.vhost,
      name: 'orders',
      arguments: { 'x-queue-type': 'quorum' },
    })
    await management.exchanges.create({ vhost: from.vhost, name: 'events', type: 'topic' })
    await management.bindings.create({
      vhost: from.vhost,
      source: 'events',
      destination: 'orders',
      destinationType: 'queue',
      routingKey: 'order.*',
      arguments: {},
    })

    const exported = await management.definitions.export({ vhost: from.vhost })
    await management.definitions.import(exported, { vhost: to.vhost })

    expect(await management.queues.find({ vhost: to.vhost, name: 'orders' })).toMatchObject({
      type: 'quorum',
    })
    const bindings = await management.bindings.list({ vhost: to.vhost })
    expect(bindings).toContainEqual(expect.objectContaining({ source: 'events', routingKey: 'order.*' }))
    await Promise.all([from.drop(), to.drop()])
  })

  it('of the broker hold every vhost', async () => {
    const { vhosts } = await management.definitions.export()

    expect(vhosts).toContainEqual(expect.objectContaining({ name: vhost }))
  })

  it('skip a queue that exists with other arguments, without a word', async () => {
    const queue = await createQueue('classic', { 'x-message-ttl': 1_000 })
    const other = { ...queue, durable: true, auto_delete: false, arguments: { 'x-message-ttl': 2_000 } }

    await management.definitions.import({ queues: [other] })

    expect((await management.queues.find(queue))?.arguments).toMatchObject({ 'x-message-ttl': 1_000 })
  })
})

describe('connections', () => {
  it('are listed with the client’s own name and closed with a reason', async () => {
    const connection = await amqplib.connect(broker.url, {
      clientProperties: { connection_name: 'to be closed' },
    })
    const closed = new Promise<Error>((resolve) => connection.once('close', resolve))

    const live = await eventually(async () => {
      const found = (await management.connections.list({ vhost })).find(
        ({ clientName }) => clientName === 'to be closed',
      )
      return found ?? false
    })
    expect(live).toMatchObject({ vhost, user: broker.username })
    await management.connections.close(live.name, { reason: 'closed by a tést' })

    expect((await closed).message).toContain('closed by a t?st')
  })
})

describe('parameters', () => {
  it('that do not exist are undefined', async () => {
    const parameter = { component: 'shovel', vhost, name: 'nobody' }

    expect(await management.parameters.find(parameter)).toBeUndefined()
  })

  it('of an unknown plugin are refused with the broker’s reason', async () => {
    const parameter = { component: 'nonsense', vhost, name: 'n', value: { a: 1 } }

    await expect(management.parameters.put(parameter)).rejects.toMatchObject({ code: 'MANAGEMENT_REFUSED' })
  })
})

describe('a vhost that does not exist', () => {
  it.each(['queues', 'exchanges', 'bindings', 'policies'] as const)('has no %s', async (area) => {
    await expect(management[area].list({ vhost: 'no such vhost' })).rejects.toMatchObject({
      code: 'MANAGEMENT_NOT_FOUND',
      message: expect.stringContaining('There is no vhost "no such vhost"'),
    })
  })
})
