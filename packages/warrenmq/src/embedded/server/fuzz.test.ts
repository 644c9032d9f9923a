import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildFrame } from '../../../../../test/support/build-frame.ts'
import { realClock } from '../../clock.ts'
import type { Method } from '../../wire/method-specs.ts'
import { encodeMethod } from '../../wire/methods.ts'
import { createBroker } from '../model/create-broker.ts'
import { profiles } from '../model/profiles/profiles.ts'
import { type AmqpServer, startAmqpServer } from './amqp-server.ts'
import { createFaults } from './faults.ts'

/** Mistakes of the broker itself: whatever a client sends, there must be none. */
const mistakes: unknown[] = []
let server: AmqpServer
const clock = realClock

beforeAll(async () => {
  const broker = createBroker({ profile: profiles['4.3'], clock, seed: 1 })
  server = await startAmqpServer({
    broker,
    faults: createFaults(clock, () => undefined),
    clusterName: 'fuzzed',
    port: 0,
    onDelivery: () => undefined,
    report: (error) => mistakes.push(error),
  })
})
afterAll(() => server.stop())

const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((array) => Buffer.from(array))
const channel = fc.constantFrom(0, 0, 1, 1, 1, 2, 65_535)
const name = fc.constantFrom('', 'work', 'é'.repeat(120), 'amq.topic', 'amq.rabbitmq.reply-to')
const flag = fc.boolean()
const table = fc.constantFrom<Method<'queue.declare'>['arguments']>(
  [],
  [{ name: 'x-message-ttl', value: { type: 'l', value: -(2n ** 63n) } }],
  [{ name: 'x-max-length', value: { type: 'd', value: Number.NaN } }],
  [{ name: 'x-queue-type', value: { type: 'S', value: Buffer.from([0xff]) } }],
  [{ name: 'x-priority', value: { type: 'T', value: 2n ** 64n - 1n } }],
  [{ name: 'x-dead-letter-exchange', value: { type: 'A', value: [] } }],
)

const startOk: Method = {
  name: 'connection.start-ok',
  clientProperties: [],
  mechanism: 'PLAIN',
  locale: 'en_US',
  response: Buffer.from('\0guest\0guest'),
}
const tuneOk: Method = { name: 'connection.tune-ok', channelMax: 2047, frameMax: 131_072, heartbeat: 0 }
const open: Method = { name: 'connection.open', vhost: '/' }

/** Methods of every phase, in any order, with values that may not fit. */
const method: fc.Arbitrary<Method> = fc.oneof(
  fc.constantFrom<Method>(startOk, tuneOk, open, { name: 'connection.close-ok' }),
  fc.constantFrom<Method>({ name: 'channel.open' }, { name: 'channel.close-ok' }, { name: 'tx.select' }),
  fc.constantFrom<Method>({ name: 'tx.commit' }, { name: 'tx.rollback' }, { name: 'tx.select-ok' }),
  fc.record({
    name: fc.constant('connection.start-ok' as const),
    mechanism: fc.constantFrom('AMQPLAIN', 'NONE'),
    response: bytes(20),
    clientProperties: table,
    locale: name,
  }),
  fc.record({
    name: fc.constant('connection.tune-ok' as const),
    channelMax: fc.nat(65_535),
    frameMax: fc.nat(200_000),
    heartbeat: fc.constant(0),
  }),
  fc.record({
    name: fc.constant('queue.declare' as const),
    queue: name,
    passive: flag,
    durable: flag,
    exclusive: flag,
    autoDelete: flag,
    noWait: flag,
    arguments: table,
  }),
  fc.record({
    name: fc.constant('exchange.declare' as const),
    exchange: name,
    type: name,
    passive: flag,
    durable: flag,
    autoDelete: flag,
    internal: flag,
    noWait: flag,
    arguments: table,
  }),
  fc.record({
    name: fc.constant('queue.bind' as const),
    queue: name,
    exchange: name,
    routingKey: name,
    noWait: flag,
    arguments: table,
  }),
  fc.record({
    name: fc.constant('basic.consume' as const),
    queue: name,
    consumerTag: name,
    noLocal: flag,
    noAck: flag,
    exclusive: flag,
    noWait: flag,
    arguments: table,
  }),
  fc.record({
    name: fc.constant('basic.publish' as const),
    exchange: name,
    routingKey: name,
    mandatory: flag,
    immediate: flag,
  }),
  fc.record({ name: fc.constant('basic.get' as const), queue: name, noAck: flag }),
  fc.record({ name: fc.constantFrom('basic.ack' as const), deliveryTag: fc.nat(3), multiple: flag }),
  fc.record({
    name: fc.constant('basic.qos' as const),
    prefetchSize: fc.nat(1),
    prefetchCount: fc.nat(3),
    global: flag,
  }),
  fc.record({ name: fc.constant('channel.flow' as const), active: flag }),
  fc.record({ name: fc.constant('basic.recover-async' as const), requeue: flag }),
  fc.record({ name: fc.constant('confirm.select' as const), noWait: flag }),
)

/** A header with any size of its body and any properties, right or wrong. */
const header = fc
  .record({
    classId: fc.constantFrom(60, 60, 60, 10),
    size: fc.constantFrom(0, 0, 3, 2 ** 31),
    rest: bytes(12),
  })
  .map(({ classId, size, rest }) => {
    const fields = Buffer.alloc(12)
    fields.writeUInt16BE(classId, 0)
    fields.writeUInt32BE(size, 8)
    return Buffer.concat([fields, rest.length < 2 ? Buffer.alloc(2) : rest])
  })

const frames = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(channel, method).map(([at, sent]) => frame(1, at, encodeMethod(sent))) },
  { weight: 3, arbitrary: fc.tuple(channel, header).map(([at, payload]) => frame(2, at, payload)) },
  { weight: 1, arbitrary: fc.tuple(channel, bytes(14)).map(([at, payload]) => frame(2, at, payload)) },
  { weight: 2, arbitrary: fc.tuple(channel, bytes(4)).map(([at, payload]) => frame(3, at, payload)) },
  { weight: 1, arbitrary: fc.tuple(channel, bytes(12)).map(([at, payload]) => frame(1, at, payload)) },
  { weight: 1, arbitrary: fc.tuple(channel, bytes(2)).map(([at, payload]) => frame(8, at, payload)) },
)

function frame(type: number, channel: number, payload: Buffer): Buffer {
  return buildFrame({ type, channel, payload })
}

const greeting = Buffer.from('AMQP\0\0\x09\x01', 'latin1')
const handshake = [startOk, tuneOk, open].map((sent) => frame(1, 0, encodeMethod(sent)))
const openChannel = frame(1, 1, encodeMethod({ name: 'channel.open' }))

/** Says all of it, ends its side, and waits until the broker has ended its own. */
async function say(pieces: readonly Buffer[]): Promise<void> {
  const socket: Socket = connect(server.port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.resume()
  socket.end(Buffer.concat([greeting, ...pieces]))
  await once(socket, 'close')
}

test('whatever a client sends in whichever phase, the broker makes no mistake and goes on', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(handshake.length + 1),
      fc.array(frames, { minLength: 1, maxLength: 12 }),
      async (phase, sent) => {
        const before = [...handshake, openChannel].slice(0, phase)

        await say([...before, ...sent])

        expect(mistakes.splice(0)).toEqual([])
      },
    ),
    {
      numRuns: Number(process.env.WARREN_AMQP_FUZZ_RUNS ?? 400),
      seed: Number(process.env.WARREN_AMQP_FUZZ_SEED ?? 20_260),
    },
  )
  await say([...handshake, openChannel])
  expect(mistakes).toEqual([])
}, 60_000)
