import { brotliCompressSync, gzipSync } from 'node:zlib'
import { connect as connectAmqplib } from 'amqplib'
import { expect, it, onTestFinished } from 'vitest'
import type { BodyDecoder } from '../../../packages/warrenmq/src/consumer/run/consumed-message.ts'
import { eventually } from '../../support/eventually.ts'
import { useBroker } from '../../support/use-broker.ts'
import { collect, createConsumerRig } from './consumer-rig.ts'

const broker = await useBroker()
let made = 0

async function setup() {
  made += 1
  const name = `options-${made}`
  const declaration = { queues: { [name]: { retry: false } } } as const
  const rig = await createConsumerRig({ url: broker.url, declaration })
  const publish = (...bodies: string[]) =>
    Promise.all(bodies.map((body) => rig.publisher.publish({ key: name, body })))
  return { ...rig, name, publish, dlq: `${name}.dlq` }
}

it('as many messages as the prefetch says are in hand, and as many as the concurrency in handlers', async () => {
  const { consume, name, publish, depth } = await setup()
  const finish: (() => void)[] = []
  const handler = () => new Promise<void>((resolve) => finish.push(resolve))
  const consumer = await consume(name, handler, { concurrency: 2, prefetch: 5 })
  const settled = collect(consumer, 'delivery.settled')

  await publish(...Array.from({ length: 9 }, (_, index) => `${index}`))
  await eventually(() => expect(consumer.counts).toEqual({ running: 2, waiting: 3, held: 0 }))
  expect(await depth(name)).toBe(4)

  for (let done = 0; done < 9; done += 1) {
    const next = await eventually(() => finish[done] ?? false)
    next()
    expect(consumer.counts.running).toBeLessThanOrEqual(2)
  }
  await eventually(() => expect(settled).toHaveLength(9))
})

it('a consumer of a higher priority is served first', async () => {
  const { consume, name, publish } = await setup()
  const seen = { high: 0, low: 0 }
  await consume(name, () => {
    seen.low += 1
  })
  await consume(
    name,
    () => {
      seen.high += 1
    },
    { priority: 10 },
  )

  await publish(...Array.from({ length: 20 }, (_, index) => `${index}`))

  await eventually(() => expect(seen).toEqual({ high: 20, low: 0 }))
})

it('a message of a higher priority is handled first, and keeps its priority through a retry', async () => {
  made += 1
  const name = `options-${made}`
  const declaration = {
    queues: {
      [name]: {
        type: 'classic',
        arguments: { 'x-max-priority': 9 },
        retry: { delays: [50], maxAttempts: 2 },
      },
    },
  } as const
  const { consume, publisher, depth } = await createConsumerRig({ url: broker.url, declaration })
  for (const priority of [1, 5, 9]) await publisher.publish({ key: name, body: priority, priority })
  const seen: unknown[] = []
  const handle: Parameters<typeof consume>[1] = async ({ body }, { attempt }) => {
    seen.push([body, attempt])
    if (body === 9 && attempt === 1) throw new Error('not now')
    if (body === 5) await eventually(async () => expect(await depth(name)).toBe(2)) // the retry is back
  }

  await consume(name, handle, { concurrency: 1, prefetch: 1 })

  await eventually(() => expect(seen).toHaveLength(4))
  expect(seen).toEqual([
    [9, 1],
    [5, 1],
    [9, 2],
    [1, 1],
  ])
})

it('a body is read as JSON whatever its content type, where the consumer says so', async () => {
  const { consume, name, publish, dlq, drain, depth } = await setup()
  const seen: unknown[] = []
  await consume(name, ({ body }) => void seen.push(body), { decode: 'json' })

  await publish('{"a":1}', 'no JSON')

  await eventually(() => expect(seen).toEqual([{ a: 1 }]))
  await eventually(async () => expect(await depth(dlq)).toBe(1))
  expect(await drain(dlq)).toMatchObject([{ body: 'no JSON', headers: { 'warren-reason': 'undecodable' } }])
})

it('a body is read by a function of the user, and what that throws is a failure like any other', async () => {
  const { consume, name, publish, dlq, drain, depth } = await setup()
  const seen: unknown[] = []
  const decode: BodyDecoder = ({ rawBody }) => {
    if (rawBody.length > 3) throw new Error('too long to read')
    return [...rawBody]
  }
  await consume(name, ({ body }) => void seen.push(body), { decode })

  await publish('abc', 'abcd')

  await eventually(() => expect(seen).toEqual([[97, 98, 99]]))
  await eventually(async () => expect(await depth(dlq)).toBe(1))
  expect(await drain(dlq)).toMatchObject([{ body: 'abcd', headers: { 'x-final-error': 'too long to read' } }])
})

it('a dead letter says which service and which host gave it up', async () => {
  const { consume, name, publish, dlq, drain, depth } = await setup()
  const handler = () => {
    throw new Error('no')
  }
  await consume(name, handler, { service: 'billing', host: 'billing-7' })

  await publish('x')

  await eventually(async () => expect(await depth(dlq)).toBe(1))
  const [dead] = await drain(dlq)
  expect(dead!.headers).toMatchObject({ 'warren-service': 'billing', 'warren-host': 'billing-7' })
})

it('a body without a content type is read as the JSON that it is, and a packed one is unpacked', async () => {
  const { consume, name } = await setup()
  const connection = await connectAmqplib(broker.url)
  onTestFinished(() => connection.close())
  const channel = await connection.createConfirmChannel()
  const json = Buffer.from('{"amount":-5}')
  const seen: unknown[] = []
  await consume(name, ({ body }) => void seen.push(body), { concurrency: 1 })

  // As a client sends it that sets nothing by itself.
  channel.sendToQueue(name, json)
  channel.sendToQueue(name, gzipSync(json), { contentEncoding: 'gzip' })
  channel.sendToQueue(name, brotliCompressSync(json), {
    contentEncoding: 'br',
    contentType: 'application/json',
  })
  channel.sendToQueue(name, Buffer.from('bytes'))
  await channel.waitForConfirms()

  const order = { amount: -5 }
  await eventually(() => expect(seen).toEqual([order, order, order, Buffer.from('bytes')]))
})

it('a function that reads bodies is given all properties', async () => {
  const { consume, name, publisher } = await setup()
  const seen: unknown[] = []
  const decode: BodyDecoder = ({ type, headers, contentEncoding, routingKey, rawBody }) => ({
    type,
    schema: headers.schema,
    contentEncoding,
    routingKey,
    length: rawBody.length,
  })
  await consume(name, ({ body }) => void seen.push(body), { decode })

  const properties = { type: 'order', headers: { schema: 7 }, contentEncoding: 'avro' }
  await publisher.publish({ key: name, body: Buffer.from('abc'), ...properties })

  const expected = { type: 'order', schema: 7, contentEncoding: 'avro', routingKey: name, length: 3 }
  await eventually(() => expect(seen).toEqual([expected]))
})
