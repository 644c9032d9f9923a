import { readFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { encodePublish } from '../../../packages/warrenmq/src/broker/amqp/encode-publish.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { connect, defineTopology } from '../../../packages/warrenmq/src/index.ts'
import { eventually } from '../../support/eventually.ts'
import { useBroker } from '../../support/use-broker.ts'

const broker = await useBroker()

// As 0.1 declared them, with shorter waits: what is on its way names queues, not times.
const topology = defineTopology({
  queues: {
    orders: { retry: { delays: ['1s', '1s'], maxAttempts: 3 } },
    invoices: { retry: { delays: ['1s'], maxAttempts: 1 } },
  },
})

it('a message that 0.1 let wait has its third attempt, is parked as the last, and can be put back', async () => {
  const { warren } = await setup()
  const attempts: number[] = []
  const consumer = await warren.consume('orders', (_, { attempt }) => {
    attempts.push(attempt)
    throw new Error('still no stock')
  })

  await publishAs01('waiting-for-third-attempt', 'orders.retry.1s')
  const parked = await eventually(async () => {
    const letters = await warren.deadLetters('orders').peek()
    expect(letters).toHaveLength(1)
    return letters
  })
  await consumer.close()

  expect(attempts).toEqual([3])
  expect(parked[0]).toMatchObject({ id: 'order-42', attempts: 3, headers: { tenant: 'acme', amount: 12.5 } })
  expect(await warren.deadLetters('orders').redrive()).toMatchObject({
    moved: 1,
    failed: 0,
    isBalanced: true,
  })
})

it('a dead letter of 0.1 has its cause and goes back to where it failed, with a first attempt', async () => {
  const { warren } = await setup()
  await publishAs01('parked', 'invoices.dlq')

  const [cause] = await warren.deadLetters('invoices').causes()
  const receipt = await warren.deadLetters('invoices').redrive()

  expect(cause).toMatchObject({ count: 1, label: expect.stringContaining('total is not a number') })
  expect(receipt).toMatchObject({ moved: 1, targets: [{ target: 'invoices', moved: 1 }] })
  expect(await handleOne(warren, 'invoices')).toEqual({ id: 'invoice-1', attempt: 1 })
})

it('what 0.1 has put back is counted from its first attempt on', async () => {
  const { warren } = await setup()
  await publishAs01('redriven', 'invoices')

  expect(await handleOne(warren, 'invoices')).toEqual({ id: 'invoice-1', attempt: 1 })
})

async function setup() {
  const managementUrl = broker.managementUrl.replace('://', `://${broker.username}:${broker.password}@`)
  const warren = await connect(broker.url, { topology, managementUrl })
  onTestFinished(() => warren.close())
  await warren.apply()
  return { warren }
}

/** Its properties and body, byte for byte as 0.1 had them on the wire. */
async function publishAs01(name: string, queue: string): Promise<void> {
  const { properties, body } = JSON.parse(readFileSync(`test/fixtures/messages-0.1/${name}.json`, 'utf8'))
  const session = await Session.open(broker.url)
  onTestFinished(() => session.close())
  const channel = await session.openChannel()
  const method = encodePublish({ exchange: '', routingKey: queue, mandatory: false })
  channel.publish(method, Buffer.from(properties, 'base64'), Buffer.from(body, 'base64'))
}

type Connected = Awaited<ReturnType<typeof setup>>['warren']

async function handleOne(warren: Connected, queue: 'invoices') {
  return new Promise((resolve, reject) => {
    const consuming = warren.consume(queue, ({ id }, { attempt }) => resolve({ id, attempt }))
    consuming.then((consumer) => onTestFinished(() => consumer.close()), reject)
  })
}
