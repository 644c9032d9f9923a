import { describe, expect, it, onTestFinished } from 'vitest'
import { deleteQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import type { ConsumerOptions } from '../../../packages/warrenmq/src/consumer/consumer-options.ts'
import type { Handler } from '../../../packages/warrenmq/src/consumer/handler.ts'
import { defer, reject } from '../../../packages/warrenmq/src/consumer/handler-answer.ts'
import { eventually } from '../../support/eventually.ts'
import { useBroker } from '../../support/use-broker.ts'
import { collect, createConsumerRig } from './consumer-rig.ts'

const broker = await useBroker()
let made = 0

/** One handler at a time, so that whatever keeps its place keeps all others waiting. */
async function setup(handler: Handler, { query = '', options = {} as ConsumerOptions } = {}) {
  made += 1
  const name = `odd-${made}`
  const rig = await createConsumerRig({
    url: broker.url,
    publishingUrl: `${broker.url}${query}`,
    declaration: { queues: { [name]: { retry: { delays: [10, 1_000], maxAttempts: 2 } } } },
  })
  const handled: unknown[] = []
  const consumer = await rig.consume(
    name,
    (message, context) => {
      if (message.body !== 'last') return handler(message, context)
      handled.push(message.body)
      return undefined
    },
    { concurrency: 1, prefetch: 60, ...options },
  )
  return {
    ...rig,
    name,
    dlq: `${name}.dlq`,
    handled,
    consumer,
    settled: collect(consumer, 'delivery.settled'),
    failures: collect(consumer, 'settle.failed'),
    breaker: collect(consumer, 'breaker.changed'),
  }
}

function throwing(thrown: unknown): Handler {
  return () => {
    throw thrown
  }
}

describe('a handler', () => {
  it.each([
    ['defers until a date that is none', () => defer(new Date('garbage')), /defer\(\) got an invalid date/],
    [
      'rejects with an error where a text is due',
      () => reject(new Error('no price') as never),
      /^Error: no price$/,
    ],
    ['throws an object without a prototype', throwing(Object.create(null)), /cannot be read/],
    [
      'throws an error whose message is no text',
      throwing(Object.assign(new Error(), { message: 42 })),
      /^42$/,
    ],
  ] as readonly [string, Handler, RegExp][])(
    'that %s has its message parked, and the place is free',
    async (_, handler, error) => {
      const { publisher, name, dlq, drain, depth, handled, failures } = await setup(handler)

      await publisher.publish({ key: name, body: 'odd' })
      await publisher.publish({ key: name, body: 'last' })

      await eventually(async () => expect(await depth(dlq)).toBe(1))
      await eventually(() => expect(handled).toEqual(['last']))
      expect(await drain(dlq)).toMatchObject([
        { body: 'odd', headers: { 'x-final-error': expect.stringMatching(error) } },
      ])
      expect(failures).toEqual([])
    },
  )

  it.each([
    ['a wish of half a millisecond', { retryAfterMs: 20.5 }, {}],
    ['a message that says half a millisecond', {}, { processAfterDelayMs: 1_500.5 }],
    ['a message that says a time beyond all dates', {}, { processAfterDelayMs: 1e300 }],
  ])('that says 425 with %s is asked again', async (_, wish, headers) => {
    let asked = 0
    const early: Handler = () => {
      asked += 1
      return asked === 1 ? { status: 425, ...wish } : { status: 200 }
    }
    // Nothing is held, so that the time has to be written into the message.
    const { publisher, name, dlq, depth, settled, failures } = await setup(early, {
      options: { holdUpTo: 0, random: () => 0 },
    })

    await publisher.publish({ key: name, body: 'odd', headers, timestamp: new Date() })

    await eventually(() => expect(settled.at(-1)?.outcome.kind).toBe('acknowledge'))
    expect(asked).toBe(2)
    expect(settled[0]?.outcome).toMatchObject({ kind: 'defer', untilMs: expect.toSatisfy(Number.isInteger) })
    expect(failures).toEqual([])
    expect(await depth(dlq)).toBe(0)
  })
})

describe('a message', () => {
  it('that claims more attempts than a count can hold is parked with the highest that there is', async () => {
    const { publisher, name, dlq, drain, depth, failures } = await setup(throwing(new Error('no')))

    await publisher.publish({ key: name, body: 'odd', headers: { 'warren-attempts': 2 ** 40 } })

    await eventually(async () => expect(await depth(dlq)).toBe(1))
    expect(await drain(dlq)).toMatchObject([
      { headers: { 'warren-attempts': 2_147_483_647, 'x-final-error': 'no' } },
    ])
    expect(failures).toEqual([])
  })

  it('whose headers leave no room for ours is parked with less, or kept, and takes nobody’s place', async () => {
    const { publisher, name, dlq, drain, handled, consumer, failures, breaker, settled } = await setup(
      () => reject('no'),
      { query: '?frame_max=8192' },
    )
    const sizes = Array.from({ length: 40 }, (_, index) => 7_200 + index * 25)

    for (const size of sizes)
      await publisher.publish({ key: name, body: 'odd', headers: { own: 'x'.repeat(size) } })
    await publisher.publish({ key: name, body: 'last' })

    await eventually(() => expect(handled).toEqual(['last']))
    await eventually(() => expect(settled.length + consumer.counts.held).toBe(sizes.length + 1))
    const parked = await drain(dlq)
    const isBare = (error: unknown) =>
      String(error).startsWith('Its outcome "dead-letter" could not be written')
    const bare = parked.filter(({ headers }) => isBare(headers['x-final-error']))
    const whole = parked.filter(({ headers }) => headers['x-final-error'] === 'no')
    expect(whole.length).toBeGreaterThan(0)
    expect(bare.length).toBeGreaterThan(0)
    expect(bare[0]?.headers).toMatchObject({
      'warren-reason': 'rejected-by-handler',
      'x-original-queue': name,
    })
    expect(failures.length).toBeGreaterThan(0)
    // Every message is in one place, with every byte of its own.
    expect(whole.length + bare.length + consumer.counts.held).toBe(sizes.length)
    expect(failures).toHaveLength(consumer.counts.held)
    expect(parked.map(({ headers }) => String(headers.own).length)).toEqual(sizes.slice(0, parked.length))
    expect(breaker).toEqual([])
  })
})

const death = { queue: 'other', reason: 'expired', count: 1n, exchange: 'orders', 'routing-keys': ['key'] }

describe('a message with an address that no broker could have had', () => {
  it.each([
    ['a key', { 'x-original-exchange': '', 'x-original-routing-key': 'k'.repeat(256) }],
    ['an exchange', { 'x-original-exchange': 'e'.repeat(256), 'x-original-routing-key': 'key' }],
    ['a key in its history', { 'x-death': [{ ...death, 'routing-keys': ['k'.repeat(256)] }] }],
    ['an exchange in its history', { 'x-death': [{ ...death, exchange: 'e'.repeat(256) }] }],
  ])('as %s of more than 255 bytes is parked all the same', async (_, headers) => {
    const { publisher, name, dlq, drain, depth, failures } = await setup(() => reject('no'))

    await publisher.publish({ key: name, body: 'odd', headers })

    await eventually(async () => expect(await depth(dlq)).toBe(1))
    expect(await drain(dlq)).toMatchObject([
      { headers: { 'warren-reason': 'rejected-by-handler', 'x-original-routing-key': name } },
    ])
    expect(failures).toEqual([])
  })
})

it('many copies that cannot be placed at once make Node warn of no leak', async () => {
  const warnings: string[] = []
  const listen = ({ name }: Error) => void warnings.push(name)
  process.on('warning', listen)
  onTestFinished(() => void process.off('warning', listen))
  const gate = { open: (): void => {} }
  const together = new Promise<void>((resolve) => {
    gate.open = resolve
  })
  const options = { concurrency: 20 }
  const rig = await setup(() => together.then(() => reject('no')), { options })
  await deleteQueue(rig.admin, rig.dlq)
  for (let index = 0; index < 20; index += 1) await rig.publisher.publish({ key: rig.name, body: 'odd' })

  await eventually(() => expect(rig.consumer.counts.running).toBe(20))
  gate.open()

  await eventually(() => expect(rig.failures.length).toBeGreaterThanOrEqual(20))
  expect(warnings).not.toContain('MaxListenersExceededWarning')
})
