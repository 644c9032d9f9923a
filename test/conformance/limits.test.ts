import type { ChannelModel } from 'amqplib'
import { eventually } from '../support/eventually.ts'
import { describeMethod } from './describe-received.ts'
import { connectRaw, type RawClient } from './raw-client.ts'
import { type EitherBroker, testSameOnBoth } from './same-on-both.ts'

const everything = { configure: '.*', write: '.*', read: '.*' }

testSameOnBoth('limits of a vhost are set, shown and removed', async ({ api, vhost }) => {
  const put = (name: string, body: object) => api('PUT', `vhost-limits/${vhost}/${name}`, body)
  const bodies = [{ value: 2 }, { value: -1 }, { value: 0 }, { value: -2 }, { value: 'x' }, { value: '7' }]
  const answers: unknown[] = []
  for (const name of ['max-connections', 'max-queues', 'max-channels', 'nonsense']) {
    for (const body of [...bodies, { value: 1.5 }, { value: null }, {}]) {
      answers.push([name, body, reasonOf(await put(name, body))])
    }
  }
  await put('max-connections', { value: 100 })
  await put('max-queues', { value: 50 })
  const all = (await api('GET', 'vhost-limits')).json as { vhost: string }[]
  answers.push(all.filter((item) => item.vhost === vhost))
  answers.push(await api('GET', `vhost-limits/${vhost}`))
  answers.push(reasonOf(await api('GET', 'vhost-limits/no-such-vhost')))
  answers.push(reasonOf(await api('PUT', 'vhost-limits/no-such-vhost/max-queues', { value: 1 })))
  answers.push(await api('GET', `parameters/vhost-limits/${vhost}`))
  answers.push(await api('GET', `parameters/vhost-limits/${vhost}/limits`))
  const exported = (await api('GET', `definitions/${vhost}`)).json as Record<string, unknown>
  answers.push(exported.parameters, exported.limits)
  const { vhosts } = (await api('GET', 'definitions')).json as {
    vhosts: { name: string; limits?: unknown }[]
  }
  answers.push(vhosts.find(({ name }) => name === vhost)?.limits)
  for (const name of ['max-queues', 'max-queues', 'nonsense']) {
    answers.push(reasonOf(await api('DELETE', `vhost-limits/${vhost}/${name}`)))
  }
  answers.push(await api('GET', `vhost-limits/${vhost}`))
  answers.push(reasonOf(await api('DELETE', `vhost-limits/${vhost}/max-connections`)))
  answers.push(await api('GET', `vhost-limits/${vhost}`))
  return answers
})

testSameOnBoth('limits of a vhost are a parameter, too', async ({ api, vhost }) => {
  const path = `parameters/vhost-limits/${vhost}/limits`
  const answers = []
  for (const value of [{ 'max-queues': 3 }, { 'max-queues': 'x' }, { nonsense: 1 }, {}, 5]) {
    const body = { component: 'vhost-limits', vhost, name: 'limits', value }
    answers.push([value, reasonOf(await api('PUT', path, body))], await api('GET', `vhost-limits/${vhost}`))
  }
  answers.push(reasonOf(await api('DELETE', path)), await api('GET', `vhost-limits/${vhost}`))
  return answers
})

testSameOnBoth('limits of a user are set, shown and removed', async (broker) => {
  const { api, user } = broker
  await makeUser(broker)
  const put = (name: string, body: object) => api('PUT', `user-limits/${user}/${name}`, body)
  const answers: unknown[] = []
  for (const name of ['max-connections', 'max-channels', 'max-queues']) {
    for (const body of [{ value: 2 }, { value: -1 }, { value: -2 }, { value: 'x' }, { value: '7' }, {}]) {
      answers.push([name, body, reasonOf(await put(name, body))])
    }
  }
  await put('max-connections', { value: 100 })
  await put('max-channels', { value: 50 })
  const all = (await api('GET', 'user-limits')).json as { user: string }[]
  answers.push(all.filter((item) => item.user === user))
  answers.push(await api('GET', `user-limits/${user}`))
  answers.push(reasonOf(await api('GET', 'user-limits/no-such-user')))
  answers.push(reasonOf(await api('PUT', 'user-limits/no-such-user/max-channels', { value: 1 })))
  answers.push(((await api('GET', `users/${user}`)).json as { limits: unknown }).limits)
  const { users } = (await api('GET', 'definitions')).json as { users: { name: string; limits: unknown }[] }
  answers.push(users.find(({ name }) => name === user)?.limits)
  for (const name of ['max-channels', 'max-channels', 'nonsense']) {
    answers.push(reasonOf(await api('DELETE', `user-limits/${user}/${name}`)))
  }
  answers.push(await api('GET', `user-limits/${user}`))
  await api('DELETE', `users/${user}`)
  return answers
})

testSameOnBoth('a vhost takes no more queues than its limit', async ({ api, connect, vhost }) => {
  const connection = await connect()
  const limit = (value: number) => api('PUT', `vhost-limits/${vhost}/max-queues`, { value })
  const declare = (queue: string, options = {}) =>
    answerTo(connection, (channel) => channel.assertQueue(queue, options))
  const quorum = { arguments: { 'x-queue-type': 'quorum' } }
  const seen: unknown[] = [(await limit(2)).status]
  seen.push(await declare('one'), await declare('two', quorum), await declare('three'), await declare('one'))
  seen.push(await declare('three', quorum), await declare('own', { exclusive: true }))
  seen.push((await declare('')).replace(/amq\.gen-[\w-]+/, 'amq.gen'))
  seen.push(await declare('three', { arguments: { 'x-queue-type': 'stream' } }))
  seen.push(await declare('two'), await declare('three', { arguments: { 'x-max-length': 'x' } }))
  seen.push(reasonOf(await api('PUT', `queues/${vhost}/three`, { durable: true })))
  seen.push(reasonOf(await api('PUT', `queues/${vhost}/one`, { durable: true })))
  await limit(0)
  seen.push(await declare('three'), await declare('one'))
  await limit(-1)
  seen.push(await declare('three'))
  await limit(1)
  seen.push(await declare('four'))
  await answerTo(connection, (channel) => channel.deleteQueue('two'))
  await answerTo(connection, (channel) => channel.deleteQueue('three'))
  seen.push(await declare('four'))
  await answerTo(connection, (channel) => channel.deleteQueue('one'))
  seen.push(await declare('four'))
  await api('DELETE', `vhost-limits/${vhost}/max-queues`)
  seen.push(await declare('five'))
  return seen
})

testSameOnBoth('a vhost takes no more connections than its limit', async (broker) => {
  const { api, connect, vhost, user } = broker
  await makeUser(broker)
  const limit = (value: number) => api('PUT', `vhost-limits/${vhost}/max-connections`, { value })
  await limit(1)
  const first = await connect()
  const seen: unknown[] = [await untilRefused(broker)]
  await answerTo(first, (channel) => channel.assertQueue('still-works'))
  for (const value of [2, 0, -1]) {
    await limit(value)
    seen.push(value === 0 ? await untilRefused(broker) : await untilWelcome(broker))
  }
  await limit(1)
  await first.close()
  seen.push(await untilWelcome(broker))
  await api('DELETE', `users/${user}`)
  return seen
})

testSameOnBoth('a user has no more connections than its limit', async (broker) => {
  const { api, connect, user } = broker
  await makeUser(broker)
  const limit = (value: number) => api('PUT', `user-limits/${user}/max-connections`, { value })
  await limit(1)
  const first = await connect({ user })
  const seen: unknown[] = [await untilRefused(broker)]
  for (const value of [2, 0, -1]) {
    await limit(value)
    seen.push(value === 0 ? await untilRefused(broker) : await untilWelcome(broker))
  }
  await first.close()
  await api('DELETE', `users/${user}`)
  return seen
})

testSameOnBoth('a user has no more channels than its limit, over all connections', async (broker) => {
  const { api, connect, user } = broker
  await makeUser(broker)
  const limit = (value: number) => api('PUT', `user-limits/${user}/max-channels`, { value })
  await limit(2)
  const first = await connect({ user })
  await first.createChannel()
  await first.createChannel()
  const seen = [await untilChannelRefused(broker)]
  await limit(0)
  seen.push(await untilChannelRefused(broker))
  await api('DELETE', `users/${user}`)
  return seen
})

async function makeUser({ api, vhost, user }: EitherBroker): Promise<void> {
  await api('PUT', `users/${user}`, { password: 'secret', tags: '' })
  await api('PUT', `permissions/${vhost}/${user}`, everything)
}

// RabbitMQ hears of connections and channels that were opened or closed a moment later than their clients.
async function untilRefused(broker: EitherBroker): Promise<string> {
  return eventually(async () => {
    const answer = await tryToConnect(broker)
    if (answer === 'fine') throw new Error('The limit does not hold yet.')
    return answer
  })
}

async function untilWelcome(broker: EitherBroker): Promise<string> {
  return eventually(async () => {
    const answer = await tryToConnect(broker)
    if (answer !== 'fine') throw new Error(answer)
    return answer
  })
}

/** Connects, and gives the words with which the broker ends the connection, if it does. */
function connectOrHear(url: string): { client: Promise<RawClient>; refusal: Promise<string> } {
  let hear: (words: string) => void
  const refusal = new Promise<string>((resolve) => {
    hear = resolve
  })
  const client = connectRaw(url, ({ method }) => {
    if (method.name === 'connection.close') hear(describeMethod(method))
  })
  client.catch(() => undefined) // whoever was refused hears why, and that its connection has ended
  return { client, refusal }
}

async function tryToConnect({ urlFor, user }: EitherBroker): Promise<string> {
  const { client, refusal } = connectOrHear(urlFor({ user }))
  return Promise.race([client.then(closePolitely).then(() => 'fine'), refusal])
}

async function untilChannelRefused({ urlFor, user }: EitherBroker): Promise<string> {
  // 4.0.5 names its node where it means the user.
  const withoutNode = (answer: string) => answer.replace(/'[^']+@[^']+'/, 'the node')
  return eventually(async () => {
    const { client: connecting, refusal } = connectOrHear(urlFor({ user }))
    const client = await connecting
    const opened = client.expect(1, ['channel.open-ok']).then(() => 'fine')
    opened.catch(() => undefined)
    client.send(1, { name: 'channel.open' })
    const answer = await Promise.race([opened, refusal])
    if (answer !== 'fine') {
      await client.close()
      return withoutNode(answer)
    }
    await closePolitely(client)
    throw new Error('The limit does not hold yet.')
  })
}

async function closePolitely(client: RawClient): Promise<void> {
  const closed = client.expect(0, ['connection.close-ok'])
  client.send(0, { name: 'connection.close', replyCode: 200, replyText: 'bye', classId: 0, methodId: 0 })
  await closed
  await client.close()
}

/** What the broker answers to a call on a channel of its own. */
async function answerTo(
  connection: ChannelModel,
  call: (channel: Awaited<ReturnType<ChannelModel['createChannel']>>) => Promise<unknown>,
): Promise<string> {
  const channel = await connection.createChannel()
  channel.on('error', () => undefined)
  try {
    await call(channel)
    await channel.close()
    return 'fine'
  } catch (error) {
    return (error as Error).message
  }
}

function reasonOf({ status, json }: { status: number; json: unknown }): unknown {
  return [status, (json as { reason?: string } | null)?.reason]
}
