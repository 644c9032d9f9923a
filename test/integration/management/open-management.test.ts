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

const put = (path: readonly string[], body: object) =>
  broker.management('PUT', `/api/${path.map(encodeURIComponent).join('/')}`, body)
const remove = (path: readonly string[]) =>
  broker.management('DELETE', `/api/${path.map(encodeURIComponent).join('/')}`)

async function createQueue(type: 'classic' | 'quorum' = 'classic', more: Record<string, unknown> = {}) {
  const queue = { vhost, name: freshName('queue') }
  await put(['queues', vhost, queue.name], { durable: true, arguments: { 'x-queue-type': type, ...more } })
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

  it('has no alarms when it is well', async () => {
    expect(await management.health()).toEqual({ isHealthy: true, alarms: [] })
  })
})

describe('queues', () => {
  it('are found as they were declared', async () => {
    const queue = await createQueue('quorum', { 'x-message-ttl': 60_000 })

    expect(await management.queues.find(queue)).toMatchObject({
      vhost,
      name: queue.name,
      type: 'quorum',
      durable: true,
      autoDelete: false,
      exclusive: false,
      arguments: { 'x-queue-type': 'quorum', 'x-message-ttl': 60_000 },
    })
  })

  it('report the argument that RabbitMQ 4 adds by itself', async () => {
    const queue = { vhost, name: freshName('queue') }
    await put(['queues', vhost, queue.name], { durable: true })

    const found = await management.queues.find(queue)

    expect(found?.arguments).toEqual(isAtLeast(version, '4.0') ? { 'x-queue-type': 'classic' } : {})
  })

  it('that do not exist are undefined', async () => {
    expect(await management.queues.find({ vhost, name: 'nobody' })).toBeUndefined()
  })

  it('are listed in pages, each once', async () => {
    const crowd = await createVhost()
    const wanted = Array.from({ length: 23 }, (_, index) => `crowd-${String(index).padStart(2, '0')}`)
    await Promise.all(wanted.map((name) => put(['queues', crowd.vhost, name], { durable: true })))

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
    await put(['policies', vhost, 'limits'], {
      pattern: `^${queue.name.replaceAll('?', '\\?')}$`,
      'apply-to': 'queues',
      definition: { 'delivery-limit': 7 },
      priority: 3,
    })
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
    await remove(['policies', vhost, 'limits'])
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
})

describe('exchanges and bindings', () => {
  it('are found as they were declared', async () => {
    const exchange = { vhost, name: freshName('exchange') }
    const declared = { type: 'fanout', durable: true, arguments: { 'alternate-exchange': 'amq.fanout' } }
    await put(['exchanges', vhost, exchange.name], declared)

    expect(await management.exchanges.find(exchange)).toMatchObject({
      ...declared,
      name: exchange.name,
      autoDelete: false,
      internal: false,
    })
    await remove(['exchanges', vhost, exchange.name])
    expect(await management.exchanges.find(exchange)).toBeUndefined()
  })

  it('include the default exchange under its empty name', async () => {
    expect(await management.exchanges.find({ vhost, name: '' })).toMatchObject({ name: '', type: 'direct' })
    expect((await management.exchanges.list({ vhost })).map(({ name }) => name)).toContain('')
  })

  it.each([
    ['queue', 'q'],
    ['exchange', 'e'],
  ] as const)('are listed with their key and arguments: of a %s', async (destinationType, letter) => {
    const source = freshName('exchange')
    const destination = freshName(destinationType)
    await put(['exchanges', vhost, source], { type: 'headers', durable: true })
    await put([`${destinationType}s`, vhost, destination], { type: 'topic', durable: true })
    const path = ['bindings', vhost, 'e', source, letter, destination].map(encodeURIComponent).join('/')
    const args = { tenant: 'blue', 'x-match': 'all' }
    await broker.management('POST', `/api/${path}`, { routing_key: 'a/b~c' })
    await broker.management('POST', `/api/${path}`, { arguments: args })

    const ends = { vhost, source, destination, destinationType }
    const listed = await management.bindings.list({ vhost })
    const expected = [
      { ...ends, routingKey: '', arguments: args },
      { ...ends, routingKey: 'a/b~c', arguments: {} },
    ]
    const byKey = (left: { routingKey: string }, right: { routingKey: string }) =>
      left.routingKey < right.routingKey ? -1 : 1
    expect(listed.filter((each) => each.source === source).toSorted(byKey)).toEqual(expected)
    const from = await management.bindings.listFrom({ vhost, name: source })
    expect(from.toSorted(byKey)).toEqual(expected)
  })
})

describe('policies', () => {
  it.each([
    ['policies', 'policies'],
    ['operatorPolicies', 'operator-policies'],
  ] as const)('%s are listed', async (kind, path) => {
    const policy = { name: freshName('policy'), pattern: '^nothing$', priority: 2 }
    const definition = { 'max-length': 10 }
    await put([path, vhost, policy.name], { ...policy, 'apply-to': 'queues', definition })

    expect(await management[kind].list({ vhost })).toEqual([
      { ...policy, vhost, applyTo: 'queues', definition },
    ])
    await remove([path, vhost, policy.name])
    expect(await management[kind].list({ vhost })).toEqual([])
  })
})

describe('vhosts, users and permissions', () => {
  it('are listed', async () => {
    const name = `${vhost}/sub`
    const user = `${vhost}-jane`
    const rights = { configure: '^a', write: '.*', read: '' }
    await put(['vhosts', name], { description: 'for a test' })
    await put(['users', user], { password: 'p', tags: 'management,policymaker' })
    await put(['permissions', name, user], rights)

    expect((await management.vhosts.list()).find((each) => each.name === name)).toMatchObject({
      description: 'for a test',
    })
    const users = await management.users.list()
    expect(users.find((each) => each.name === user)).toEqual({
      name: user,
      tags: ['management', 'policymaker'],
    })
    expect(await management.permissions.list({ vhost: name })).toContainEqual({
      ...rights,
      vhost: name,
      user,
    })

    await remove(['users', user])
    await remove(['vhosts', name])
  })
})

describe('a user who is not allowed', () => {
  async function createUser(tags: readonly string[]) {
    const name = `${vhost}-${freshName('user')}`
    await put(['users', name], { password: 'p@ss/word', tags: tags.join(',') })
    return { name, client: openAs(name, 'p@ss/word'), remove: () => remove(['users', name]) }
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

    await expect(user.client.users.list()).rejects.toMatchObject({
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

describe('connections', () => {
  it('are listed with the client’s own name', async () => {
    const connection = await amqplib.connect(broker.url, {
      clientProperties: { connection_name: 'by its own name' },
    })

    const live = await eventually(async () => {
      const found = (await management.connections.list({ vhost })).find(
        ({ clientName }) => clientName === 'by its own name',
      )
      return found ?? false
    })
    expect(live).toMatchObject({ vhost, user: broker.username })
    await connection.close()
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
