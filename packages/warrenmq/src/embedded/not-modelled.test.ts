import { once } from 'node:events'
import { connect } from 'node:net'
import amqplib from 'amqplib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createModelBench } from '../../../../test/conformance/model-bench.ts'
import type { ProfileName } from './model/profile.ts'
import { startEmbeddedBroker } from './start-embedded-broker.ts'

const quorum = { 'x-queue-type': 'quorum' }

/** One for each line of "What is not modelled" in docs/reference/embedded-broker.md. */
describe('what is not modelled is refused', () => {
  test('on 3.10, more than 32 messages that return at once to a quorum queue with a limit, with 540', () => {
    const bench = createModelBench('3.10')
    bench.declare('limited', { ...quorum, 'x-delivery-limit': 5 })
    bench.declare('free', quorum)
    const returnAll = (queue: string, count: number) => {
      const client = bench.open()
      for (let index = 0; index < count; index += 1) client.publish(queue, String(index))
      client.consume(queue, { prefetch: count })
      client.settle(client.seen.at(-1)!.tag, 'return', true)
    }

    expect(() => returnAll('free', 33)).not.toThrow()
    expect(() => returnAll('limited', 32)).not.toThrow()
    expect(() => returnAll('limited', 33)).toThrow('more than 32 messages')
  })

  test('on 3.10, a consumer that comes back under its tag while it holds messages of a quorum queue, with 540', () => {
    const comeBack = (profile: '3.10' | '4.0') => {
      const bench = createModelBench(profile)
      bench.declare('work', quorum)
      const client = bench.open()
      client.publish('work', 'held')
      client.consume('work', { tag: 'mine', prefetch: 5 })
      client.cancel('mine')
      client.consume('work', { tag: 'mine', prefetch: 5 })
    }

    expect(() => comeBack('4.0')).not.toThrow()
    expect(() => comeBack('3.10')).toThrow("comes back under its tag 'mine'")
  })

  test('on 4.0 and 4.3, priorities where only one consumer of a quorum queue is active, with 540', () => {
    const consume = (profile: ProfileName, priority: number) => {
      const bench = createModelBench(profile)
      bench.declare('work', { ...quorum, 'x-single-active-consumer': true })
      bench.open().consume('work', { prefetch: 1, arguments: { 'x-priority': priority } })
    }

    expect(() => consume('3.10', 5)).not.toThrow()
    for (const profile of ['4.0', '4.3'] as const) {
      expect(() => consume(profile, 0)).not.toThrow()
      expect(() => consume(profile, 5)).toThrow('x-priority on a quorum queue with a single active consumer')
    }
  })

  test('over the wire, with a word that says so', async () => {
    const broker = await startEmbeddedBroker()
    onTestFinished(broker.stop)
    const connection = await amqplib.connect(broker.url)
    const closed = once(connection, 'error') as Promise<[Error]>
    const channel = await connection.createChannel()
    channel.on('error', () => undefined)
    await channel.assertQueue('one', { arguments: { ...quorum, 'x-single-active-consumer': true } })

    channel.consume('one', () => undefined, { priority: 5 }).catch(() => undefined)

    expect(String((await closed)[0])).toMatch(
      /540 \(NOT-IMPLEMENTED\) with message "NOT_IMPLEMENTED - the embedded broker does not model/,
    )
  })

  test('an exchange type of a plugin, as an unknown one', async () => {
    const broker = await startEmbeddedBroker()
    onTestFinished(broker.stop)
    const connection = await amqplib.connect(broker.url)
    connection.on('error', () => undefined)
    const channel = await connection.createChannel()
    channel.on('error', () => undefined)

    await expect(channel.assertExchange('later', 'x-delayed-message')).rejects.toThrow(
      "unknown exchange type 'x-delayed-message'",
    )
  })

  test.each([
    ['AMQP 1.0', Buffer.from('AMQP\0\x01\0\0', 'latin1')],
    [
      'MQTT',
      Buffer.from([0x10, 0x10, 0, 4, 0x4d, 0x51, 0x54, 0x54, 4, 2, 0, 60, 0, 4, 0x74, 0x65, 0x73, 0x74]),
    ],
    ['STOMP', Buffer.from('CONNECT\naccept-version:1.2\nhost:/\n\n\0', 'latin1')],
    ['TLS', Buffer.from([0x16, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3])],
  ])('%s, by the header of AMQP 0-9-1 and the end of the connection', async (_, greeting) => {
    const broker = await startEmbeddedBroker()
    onTestFinished(broker.stop)
    const socket = connect(Number(new URL(broker.url).port), '127.0.0.1')
    const answer: Buffer[] = []
    socket.on('data', (chunk) => answer.push(chunk))

    socket.write(greeting)
    await once(socket, 'close')

    expect(Buffer.concat(answer).toString('latin1')).toBe('AMQP\0\0\x09\x01')
  })

  test.each(['deprecated-features', 'health/checks/port-listener/5672'])(
    '/api/%s, with 501',
    async (path) => {
      const { status, json } = await ask(path)

      expect({ status, json }).toEqual({
        status: 501,
        json: { error: 'not_implemented', reason: `/api/${path} is not modelled by the embedded broker` },
      })
    },
  )

  test('a pattern that JavaScript does not read as PCRE does, with 400', async () => {
    const broker = await startEmbeddedBroker()
    onTestFinished(broker.stop)
    const url = `http://127.0.0.1:${broker.managementPort}/api/policies/%2F/posix`
    const authorization = `Basic ${Buffer.from('guest:guest').toString('base64')}`
    const body = JSON.stringify({ pattern: '^[[:alpha:]]+$', definition: { 'max-length': 1 } })

    const answer = await fetch(url, { method: 'PUT', headers: { authorization }, body })

    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain('in a pattern is not modelled by the embedded broker')
  })

  test.each<[string, object, number]>([
    ['parameters of plugins', { parameters: [{ vhost: '/', component: 'shovel', name: 's' }] }, 400],
  ])('definitions with %s, and what is beside them is not imported', async (_, part, status) => {
    const broker = await startEmbeddedBroker()
    onTestFinished(broker.stop)
    const queues = [{ vhost: '/', name: 'beside', durable: true, auto_delete: false, arguments: {} }]

    const answer = await fetch(`${broker.managementUrl.replace('guest:guest@', '')}/api/definitions`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from('guest:guest').toString('base64')}` },
      body: JSON.stringify({ ...part, queues }),
    })

    expect(answer.status).toBe(status)
    expect(broker.inspect('beside')).toBeUndefined()
  })

  test.each(['shovels', 'federation-links'])(
    '/api/%s of a plugin, as by a RabbitMQ without it',
    async (path) => {
      expect((await ask(path)).status).toBe(404)
    },
  )
})

async function ask(path: string): Promise<{ status: number; json: unknown }> {
  const broker = await startEmbeddedBroker()
  onTestFinished(broker.stop)
  const answer = await fetch(`${broker.managementUrl.replace('guest:guest@', '')}/api/${path}`, {
    headers: { authorization: `Basic ${Buffer.from('guest:guest').toString('base64')}` },
  })
  return { status: answer.status, json: await answer.json() }
}
