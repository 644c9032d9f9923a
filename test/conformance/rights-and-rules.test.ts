import type { Channel, ChannelModel } from 'amqplib'
import { expect } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { type EitherBroker, testSameOnBoth } from './same-on-both.ts'

const everything = { configure: '.*', write: '.*', read: '.*' }

async function makeUser({ api, user, vhost }: EitherBroker, permission: object = everything): Promise<void> {
  await api('PUT', `users/${user}`, { password: 'secret', tags: '' })
  await api('PUT', `permissions/${vhost}/${user}`, permission)
}

/** What RabbitMQ says to a call, on a channel that it may close. */
async function answerTo(
  connection: ChannelModel,
  call: (channel: Channel) => Promise<unknown>,
): Promise<string> {
  const channel = await connection.createChannel()
  channel.on('error', () => undefined)
  return call(channel).then(
    () => 'fine',
    (error: Error) => error.message.replace(/^.*with message /, ''),
  )
}

testSameOnBoth('a passive declare asks for the permissions that the version asks for', async (broker) => {
  const { connect, api, user, vhost } = broker
  await makeUser(broker)
  const owner = await (await connect()).createChannel()
  await owner.assertQueue('there')
  await owner.assertExchange('here', 'topic')
  const answers: string[] = []
  for (const allowed of ['none', 'configure', 'write', 'read']) {
    const permission = { configure: '', write: '', read: '', [allowed]: '.*', none: undefined }
    await api('PUT', `permissions/${vhost}/${user}`, permission)
    const connection = await connect({ user })
    answers.push(
      await answerTo(connection, (channel) => channel.checkQueue('there')),
      await answerTo(connection, (channel) => channel.checkExchange('here')),
      await answerTo(connection, (channel) => channel.checkQueue('missing')),
      await answerTo(connection, (channel) => channel.checkExchange('missing')),
    )
  }
  await api('DELETE', `users/${user}`)
  return answers
})

testSameOnBoth('the connections of a deleted user are closed with 320', async (broker) => {
  await makeUser(broker)
  const connection = await broker.connect({ user: broker.user })
  const closed = new Promise((resolve) => connection.once('close', (error: Error) => resolve(error.message)))

  const { status } = await broker.api('DELETE', `users/${broker.user}`)

  return [status, await closed]
})

testSameOnBoth(
  'a vhost has a default type of queue on versions that know one',
  async ({ api, connect, vhost }) => {
    const other = `${vhost}-default`
    const made = await api('PUT', `vhosts/${other}`, { default_queue_type: 'quorum' })
    const administrator = ((await api('GET', 'whoami')).json as { name: string }).name
    await api('PUT', `permissions/${other}/${administrator}`, everything)
    const channel = await (await connect({ vhost: other })).createChannel()
    await channel.assertQueue('plain')
    await channel.assertQueue('own', { exclusive: true })
    const types = []
    for (const queue of ['plain', 'own']) {
      const { json } = await api('GET', `queues/${other}/${queue}`)
      types.push((json as { type: string }).type)
    }
    const { default_queue_type: told } = (await api('GET', `vhosts/${other}`)).json as Record<string, unknown>
    const bad = await api('PUT', `vhosts/${other}-bad`, { default_queue_type: 'nonsense' })
    for (const name of [other, `${other}-bad`]) await api('DELETE', `vhosts/${name}`)
    return [made.status, types, told, bad.status]
  },
)

testSameOnBoth(
  'policies of mirrored queues are taken and checked as the version does',
  async ({ api, vhost }) => {
    const definitions = [
      { 'ha-mode': 'all' },
      { 'ha-mode': 'exactly', 'ha-params': 2, 'ha-sync-mode': 'automatic' },
      { 'ha-mode': 'nodes', 'ha-params': ['rabbit@one'], 'ha-promote-on-shutdown': 'always' },
      { 'ha-mode': 'exactly' },
      { 'ha-mode': 'all', 'ha-params': 2 },
      { 'ha-mode': 'zzz' },
      { 'ha-sync-mode': 'automatic' },
      { 'ha-mode': 'all', 'ha-sync-batch-size': 0 },
    ]
    const answers = []
    for (const [index, definition] of definitions.entries()) {
      const body = { pattern: '^ha', definition, priority: 0, 'apply-to': 'all' }
      const { status, json } = await api('PUT', `policies/${vhost}/ha-${index}`, body)
      // Erlang breaks long lists of settings that it does not know into lines.
      answers.push([status, (json as { reason?: string } | null)?.reason?.replaceAll(/\s+/g, '')])
    }
    return answers
  },
)

testSameOnBoth(
  'a policy that mirrors leaves quorum queues alone, with all else that is in it',
  async (broker) => {
    const { api, connect, vhost } = broker
    const keys = { '3.10': ['ha-mode', 'queue-master-locator'], '4.0': ['queue-master-locator'], '4.3': [] }[
      broker.profile
    ]
    const channel = await (await connect()).createConfirmChannel()
    const kept = []
    for (const key of keys) {
      const definition = { [key]: key === 'ha-mode' ? 'all' : 'min-masters', 'max-length': 1 }
      const policy = { pattern: `^${key}`, definition, priority: 0, 'apply-to': 'queues' }
      await api('PUT', `policies/${vhost}/${key}`, policy)
      for (const type of ['classic', 'quorum']) {
        const queue = `${key}-${type}`
        await channel.assertQueue(queue, { arguments: { 'x-queue-type': type } })
        for (const body of ['a', 'b', 'c']) channel.sendToQueue(queue, Buffer.from(body))
        await channel.waitForConfirms()
        kept.push([queue, (await channel.checkQueue(queue)).messageCount])
      }
    }
    return kept
  },
)

testSameOnBoth('the priority of a policy is a number', async ({ api, vhost }) => {
  const answers = []
  for (const priority of ['x', '5', null, true, 1.5, -1]) {
    for (const kind of ['policies', 'operator-policies']) {
      const body = { pattern: '^zz', definition: { 'max-length': 1 }, priority, 'apply-to': 'queues' }
      const { status, json } = await api('PUT', `${kind}/${vhost}/one`, body)
      answers.push([kind, priority, status, (json as { reason?: string } | null)?.reason])
    }
  }
  return answers
})

testSameOnBoth('policies of delayed retries and locators are checked', async ({ api, vhost }) => {
  const answers = []
  for (const definition of [
    { 'delayed-retry-type': 'nonsense' },
    { 'delayed-retry-type': 'all' },
    { 'delayed-retry-type': 'disabled' },
    { 'delayed-retry-type': 'failed', 'delayed-retry-min': 1000 },
    { 'delayed-retry-min': 'x' },
    { 'delayed-retry-max': -1 },
    { 'queue-master-locator': 'min-masters' },
    { 'queue-master-locator': 'nonsense' },
  ]) {
    const body = { pattern: '^zz', definition, priority: 0, 'apply-to': 'queues' }
    const { status, json } = await api('PUT', `policies/${vhost}/one`, body)
    answers.push([definition, status, (json as { reason?: string } | null)?.reason])
    await api('DELETE', `policies/${vhost}/one`)
  }
  return answers
})

testSameOnBoth('x-queue-master-locator is taken, refused or stumbled over', async ({ connect }) => {
  const answers = []
  for (const type of ['classic', 'quorum']) {
    for (const locator of ['min-masters', 'nonsense']) {
      const connection = await connect()
      const ended = new Promise<string>((resolve) =>
        connection.once('close', (error?: Error) => resolve(error?.message ?? 'closed')),
      )
      const said = answerTo(connection, (channel) =>
        channel.assertQueue(`${type}-${locator}`, {
          arguments: { 'x-queue-type': type, 'x-queue-master-locator': locator },
        }),
      )
      answers.push([type, locator, await Promise.race([said, ended])])
    }
  }
  return answers
})

testSameOnBoth('exchange types are those that the version has without plugins', async ({ connect }) => {
  const answers = []
  for (const type of ['x-local-random', 'x-modulus-hash', 'x-consistent-hash', 'x-delayed-message']) {
    const connection = await connect()
    const ended = new Promise<string>((resolve) =>
      connection.once('close', (error?: Error) => resolve(error?.message ?? 'closed')),
    )
    const said = answerTo(connection, (channel) => channel.assertExchange(`of-${type}`, type))
    answers.push([type, await Promise.race([said, ended])])
  }
  return answers
})

testSameOnBoth(
  'an exchange that chooses gives each message to one of its queues',
  async ({ connect, profile }) => {
    const types = { '3.10': [], '4.0': ['x-local-random'], '4.3': ['x-local-random', 'x-modulus-hash'] }[
      profile
    ]
    const connection = await connect()
    const channel = await connection.createConfirmChannel()
    const queues = ['one', 'two', 'replicated']
    for (const queue of queues) {
      await channel.assertQueue(queue, {
        arguments: { 'x-queue-type': queue === 'replicated' ? 'quorum' : 'classic' },
      })
    }
    await channel.assertExchange('fan', 'fanout')
    const seen: unknown[] = []
    for (const type of types) {
      await channel.assertExchange(type, type)
      for (const queue of queues) {
        seen.push(await answerTo(connection, (other) => other.bindQueue(queue, type, '')))
      }
      if (type === 'x-local-random') {
        seen.push(await answerTo(connection, (other) => other.bindQueue('one', type, 'key')))
        seen.push(await answerTo(connection, (other) => other.bindExchange('fan', type, '')))
      }
      for (let index = 0; index < 60; index += 1) channel.publish(type, `key-${index % 6}`, Buffer.from('x'))
      await channel.waitForConfirms()
      const counts = []
      for (const queue of queues) counts.push((await channel.purgeQueue(queue)).messageCount)
      seen.push(counts.reduce((sum, count) => sum + count, 0))
      // A hash sends all of one key to one queue: ten of each.
      if (type === 'x-modulus-hash') seen.push(counts.every((count) => count % 10 === 0))
    }
    return seen
  },
)

testSameOnBoth('topic permissions are asked for where keys are published and bound', async (broker) => {
  const { connect, api, user, vhost } = broker
  await makeUser(broker)
  const owner = await (await connect()).createChannel()
  await owner.assertQueue('letters')
  for (const exchange of ['guarded', 'open']) await owner.assertExchange(exchange, 'topic')
  await owner.assertExchange('direct', 'direct')
  const path = `topic-permissions/${vhost}/${user}`
  const granted = [
    await api('PUT', path, { exchange: 'guarded', write: '^a\\.', read: '^b\\.' }),
    await api('GET', path),
    await api('GET', `users/${user}/topic-permissions`),
    await api('GET', `vhosts/${vhost}/topic-permissions`),
    await api('PUT', path, { exchange: 'guarded', write: '^a\\.' }),
    await api('PUT', `topic-permissions/${vhost}/nobody`, { exchange: 'guarded', write: '', read: '' }),
    await api('GET', `topic-permissions/${vhost}/nobody`),
  ]
  const connection = await connect({ user })
  const publish = async (exchange: string, key: string, options = {}): Promise<string> => {
    const channel = await connection.createConfirmChannel()
    const refused = new Promise<string>((resolve) =>
      channel.once('error', (error: Error) => resolve(error.message.replace(/^.*with message /, ''))),
    )
    channel.publish(exchange, key, Buffer.from('x'), options)
    return Promise.race([
      refused,
      channel.waitForConfirms().then(
        () => 'fine',
        () => refused,
      ),
    ])
  }
  const used = [
    await publish('guarded', 'a.1'),
    await publish('guarded', 'c.1'),
    await publish('open', 'c.1'),
    await publish('direct', 'c.1'),
    await publish('guarded', 'a.1', { CC: ['c.1'] }),
    await answerTo(connection, (channel) => channel.bindQueue('letters', 'guarded', 'b.1')),
    await answerTo(connection, (channel) => channel.bindQueue('letters', 'guarded', 'c.*')),
    await answerTo(connection, (channel) => channel.bindQueue('letters', 'open', 'c.*')),
    await answerTo(connection, (channel) => channel.unbindQueue('letters', 'guarded', 'c.*')),
    await answerTo(connection, (channel) => channel.bindExchange('direct', 'guarded', 'c.*')),
  ]
  await api('PUT', path, { exchange: 'guarded', write: '^{username}\\.{vhost}', read: '' })
  const filledIn = [await publish('guarded', `${user}.${vhost}`), await publish('guarded', `${user}.other`)]
  const removed = await api('DELETE', path)
  const free = await publish('guarded', 'c.1')
  await api('DELETE', `users/${user}`)
  return { granted, used, filledIn, removed: removed.status, free }
})

testSameOnBoth(
  'a mandatory direct reply is returned where the version does not route replies',
  async ({ connect }) => {
    const connection = await connect()
    const [asker, answerer] = [await connection.createChannel(), await connection.createConfirmChannel()]
    const replies: string[] = []
    const returned: string[] = []
    await asker.consume('amq.rabbitmq.reply-to', (message) => replies.push(String(message?.content)), {
      noAck: true,
    })
    await asker.assertQueue('questions')
    const address = new Promise<string>((resolve) => {
      void answerer.consume('questions', (message) => resolve(message?.properties.replyTo as string), {
        noAck: true,
      })
    })
    asker.sendToQueue('questions', Buffer.from('?'), { replyTo: 'amq.rabbitmq.reply-to' })
    answerer.on('return', (message) => returned.push(String(message.content)))
    const replyTo = await address

    for (const [body, key] of [
      ['plain', replyTo],
      ['nonsense', 'amq.rabbitmq.reply-to.zzz'],
    ] as const) {
      answerer.publish('', key, Buffer.from(body), { mandatory: true })
      await answerer.waitForConfirms()
    }
    await eventually(() => expect(replies).toEqual(['plain']))
    await asker.close()
    answerer.publish('', replyTo, Buffer.from('too late'), { mandatory: true })
    await answerer.waitForConfirms()

    return { replies, returned }
  },
)

testSameOnBoth(
  'after the single active consumer of a queue is cancelled, the next one is active',
  async ({ connect }) => {
    const connection = await connect()
    const publisher = await connection.createConfirmChannel()
    const seen: Record<string, readonly string[]> = {}
    for (const type of ['classic', 'quorum']) {
      const queue = `single-${type}`
      const got: string[] = []
      await publisher.assertQueue(queue, {
        arguments: { 'x-queue-type': type, 'x-single-active-consumer': true },
      })
      const channels: Record<string, Channel> = {}
      for (const name of ['first', 'second', 'third']) {
        const channel = await connection.createChannel()
        channels[name] = channel
        await channel.consume(queue, (message) => got.push(`${name}: ${message?.content}`), {
          consumerTag: `${type}-${name}`,
        })
      }
      const send = async (body: string) => {
        const count = got.length
        publisher.sendToQueue(queue, Buffer.from(body))
        await publisher.waitForConfirms()
        await eventually(() => expect(got.length).toBe(count + 1))
      }
      await send('one')
      await channels.first!.cancel(`${type}-first`)
      await send('two')
      channels.first!.ackAll()
      await send('three')
      await channels.second!.cancel(`${type}-second`)
      await channels.first!.consume(queue, (message) => got.push(`first again: ${message?.content}`))
      await send('four')
      await channels.third!.close()
      await eventually(() => expect(got.length).toBe(5))
      seen[type] = got
    }
    return seen
  },
)
