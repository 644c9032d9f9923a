import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import type { AmqpChannel } from '../../../packages/warrenmq/src/broker/amqp/channel.ts'
import type { Delivery } from '../../../packages/warrenmq/src/broker/amqp/delivery.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { openManagement } from '../../../packages/warrenmq/src/broker/management/open-management.ts'
import { startEmbeddedBroker } from '../../../packages/warrenmq/src/embedded/start-embedded-broker.ts'
import type { Destination } from '../../../packages/warrenmq/src/recovery/redrive/plan-redrive.ts'
import { startRedrive } from '../../../packages/warrenmq/src/recovery/redrive/redrive.ts'
import type { QueueFlow } from '../../../packages/warrenmq/src/topology/queue-flow.ts'
import { eventually } from '../../support/eventually.ts'
import { useBroker } from '../../support/use-broker.ts'
import { type ConsumerRig, createConsumerRig } from '../consumer/consumer-rig.ts'

const real = await useBroker()
const access = new URL(real.managementUrl)
const embedded = await Promise.all(
  (['3.10', '4.0', '4.3'] as const).map((profile) => startEmbeddedBroker({ profile })),
)
afterAll(() => Promise.all(embedded.map((broker) => broker.stop())))

const brokers: readonly (readonly [string, string, string])[] = [
  ...embedded.map(({ version, url, managementUrl }) => [`embedded ${version}`, url, managementUrl] as const),
  [
    `RabbitMQ ${real.version}`,
    real.url,
    `${access.protocol}//${real.username}:${real.password}@${access.host}`,
  ],
]
let made = 0

/** A dead letter that another program has rejected three times and parked: only the broker has counted. */
async function setup(url: string, managementUrl: string) {
  made += 1
  const [queue, exchange] = [`q.counted-${made}`, `events-${made}`]
  const rig = await createConsumerRig({
    url,
    declaration: {
      layout: 'isolated',
      exchanges: { [exchange]: { type: 'topic' } },
      queues: {
        [queue]: { bind: [{ exchange, key: 'order.*' }], retry: { delays: [5], maxAttempts: 3 } },
      },
    },
  })
  const publishing = await Session.open(url)
  const management = openManagement(managementUrl)
  onTestFinished(async () => {
    management.close()
    await publishing.close()
  })
  const flow = rig.flow(queue)
  await rig.publisher.publish({ exchange, key: 'order.placed', body: 'x', messageId: 'm' })
  for (let rejections = 0; rejections < 3; rejections += 1)
    (await takeNext(rig.admin, queue)).nack({ requeue: false })
  const failed = await takeNext(rig.admin, queue)
  const copy = { exchange: '', key: flow.deadLetterQueue!, body: failed.body, properties: failed.properties }
  await new Promise((settle) => rig.publisher.publishEncoded(copy, settle))
  failed.ack()
  const parts = { consuming: rig.consuming, publishing, management, queue: flow.deadLetterQueue!, by: 'test' }
  return { flow, parts, exchange, attemptsUntilDead: () => failUntilDead(rig, flow) }
}

async function takeNext(channel: AmqpChannel, queue: string): Promise<Delivery> {
  let taken: Delivery | undefined
  await eventually(async () => {
    taken = await channel.get(queue)
    expect(taken).toBeDefined()
  })
  return taken!
}

/** Fails whatever comes, and gives the attempts that its handler was told. */
async function failUntilDead(rig: ConsumerRig, { name, deadLetterQueue }: QueueFlow): Promise<number[]> {
  const attempts: number[] = []
  await rig.consume(name, (_, { attempt }) => {
    attempts.push(attempt)
    throw new Error('always')
  })
  await eventually(async () => expect(await rig.depth(deadLetterQueue!)).toBe(1))
  return attempts
}

const ways: readonly (readonly [string, (exchange: string) => Destination])[] = [
  ['to its origin', () => ({ kind: 'origin' })],
  ['to its wait queue', () => ({ kind: 'retry' })],
  ['to the exchange that it came from', () => ({ kind: 'exchange' })],
  ['to an address', (exchange) => ({ kind: 'address', exchange, key: 'order.again' })],
]

describe.each(brokers)('on %s', (_, url, managementUrl) => {
  test.each(ways)('a count that only the broker knows goes on, %s', async (_title, to) => {
    const { flow, parts, exchange, attemptsUntilDead } = await setup(url, managementUrl)

    const run = startRedrive({ ...parts, to: to(exchange), attempts: 'continue', flows: [flow] })

    expect(await run.receipt).toMatchObject({ present: 1, moved: 1, isBalanced: true })
    expect(await attemptsUntilDead()).toEqual([4])
  })

  test.each(ways)('and starts again where that is asked for, %s', async (_title, to) => {
    const { flow, parts, exchange, attemptsUntilDead } = await setup(url, managementUrl)

    const run = startRedrive({ ...parts, to: to(exchange), flows: [flow] })

    expect(await run.receipt).toMatchObject({ present: 1, moved: 1 })
    expect(await attemptsUntilDead()).toEqual([1, 2, 3])
  })

  test('without a config the wait queue and the count are those that the broker shows', async () => {
    const { parts, attemptsUntilDead } = await setup(url, managementUrl)

    const run = startRedrive({ ...parts, to: { kind: 'retry' }, attempts: 'continue' })

    expect(await run.receipt).toMatchObject({ present: 1, moved: 1, kept: 0, isBalanced: true })
    expect(await attemptsUntilDead()).toEqual([4])
  })
})
