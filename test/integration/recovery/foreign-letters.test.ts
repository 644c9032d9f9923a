import { expect, onTestFinished, test } from 'vitest'
import {
  bindQueue,
  declareExchange,
  inspectQueue,
} from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import type { Delivery } from '../../../packages/warrenmq/src/broker/amqp/delivery.ts'
import { connect } from '../../../packages/warrenmq/src/warren.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createCommandRig } from './command-rig.ts'
import { createRecoveryRig, unlimitedQuorum } from './recovery-rig.ts'

const broker = await useBroker()

/** Dead letters of a system that knows nothing of Warren: a consumer rejects, and the broker does the rest. */
async function setup(
  messages: readonly {
    readonly key: string
    readonly body?: unknown
    readonly headers?: Readonly<Record<string, string>>
  }[],
) {
  const rig = await createRecoveryRig(broker)
  const [work, dlq, exchange] = [namePerTry('work'), namePerTry('dlq'), namePerTry('events')]
  await rig.declare(dlq)
  const { version } = broker
  await rig.declare(work, {
    ...unlimitedQuorum(version),
    'x-dead-letter-exchange': '',
    'x-dead-letter-routing-key': dlq,
  })
  await declareExchange(rig.admin, { exchange, type: 'topic' })
  await bindQueue(rig.admin, { queue: work, exchange, routingKey: '#' })
  for (const message of messages) await rig.publisher.publish({ exchange, body: '', ...message })
  /** What stands in the work queue dies. */
  const reject = async () => {
    const { messageCount } = await inspectQueue(rig.admin, work)
    if (messageCount === 0) return
    await new Promise<void>((resolve, reject) => {
      let rejected = 0
      const take = (delivery: Delivery): void => {
        delivery.reject({ requeue: false })
        rejected += 1
        if (rejected === messageCount) rig.admin.cancel(delivery.consumerTag).then(resolve, reject)
      }
      rig.admin.consume(work, take).catch(reject)
    })
  }
  await reject()
  return { ...rig, work, dlq, exchange, reject, ...createCommandRig(broker) }
}

test('the plan of a re-drive says whose routing key changes, and a header keeps it', async () => {
  const { work, dlq, exchange, drain, pipe } = await setup([{ key: 'order.placed' }, { key: 'order.paid' }])

  const plan = await pipe('redrive', dlq, '--dry-run', '--json')
  const moved = await pipe('redrive', dlq, '--yes', '--json')

  expect(JSON.parse(plan.stdout)).toMatchObject({
    targets: [{ target: work, count: 2, keyChanges: 2, keysBefore: ['order.placed', 'order.paid'] }],
  })
  expect(plan.stderr).toContain('2 of these will have a different routing key there')
  expect(JSON.parse(moved.stdout)).toMatchObject({ moved: 2 })
  expect((await drain(work)).map(({ headers }) => headers)).toMatchObject([
    { 'x-original-exchange': exchange, 'x-original-routing-key': 'order.placed' },
    { 'x-original-exchange': exchange, 'x-original-routing-key': 'order.paid' },
  ])
})

test("the broker's word on where a message was published goes before headers of its publisher", async () => {
  const headers = { 'x-original-exchange': 'forged', 'x-original-routing-key': 'forged' }
  const { work, dlq, exchange, reject, drain, pipe } = await setup([{ key: 'order.placed', headers }])
  const plan = async (...more: readonly string[]) =>
    JSON.parse((await pipe('redrive', dlq, '--to', 'exchange', '--dry-run', '--json', ...more)).stdout)
  const target = { target: `${exchange} order.placed`, count: 1, keyChanges: 0 }

  expect(await plan('--where', `key:order.placed and exchange:${exchange}`)).toMatchObject({
    targets: [target],
  })
  expect(await plan('--where', 'key:forged or exchange:forged')).toMatchObject({ moving: 0, targets: [] })
  const causes = await pipe('causes', dlq, '--group-by', 'key', '--json')
  expect(causes.stdout).toContain('order.placed')

  // Back in its queue by name, what the broker said is in the headers, and stays the word when it dies again.
  await pipe('redrive', dlq, '--yes', '--json')
  await reject()
  expect(await plan()).toMatchObject({ targets: [target] })
  await pipe('redrive', dlq, '--yes', '--json')
  const [back] = await drain(work)
  expect(back!.headers).toMatchObject({
    'x-original-exchange': exchange,
    'x-original-routing-key': 'order.placed',
  })
})

test('a message that dies again after a re-drive still finds back to where it was first published', async () => {
  const { dlq, exchange, reject, pipe } = await setup([{ key: 'order.placed' }])
  await pipe('redrive', dlq, '--yes', '--json')
  await reject()

  const plan = await pipe('redrive', dlq, '--to', 'exchange', '--dry-run', '--json')

  const target = { target: `${exchange} order.placed`, count: 1, keyChanges: 0 }
  expect(JSON.parse(plan.stdout)).toMatchObject({ targets: [target] })
})

/** 24 messages that the broker's history calls one cause, and that are four. */
const four = Array.from({ length: 24 }, (_, index) => ({
  key: index % 3 === 0 ? 'order.paid' : 'order.placed',
  body: {
    id: index,
    gateway: ['acme', 'acme', 'zenith', 'north'][index % 4],
    at: new Date(index).toISOString(),
  },
}))

test('causes that only have a reason are told apart by the fields that split them', async () => {
  const { dlq, work, pipe } = await setup(four)

  const { stdout } = await pipe('causes', dlq, '--json')
  const people = await pipe('causes', dlq)

  expect(JSON.parse(stdout)).toMatchObject({
    causes: [
      {
        label: `rejected (${work})`,
        count: 24,
        splits: [
          {
            field: 'body.gateway',
            values: [
              { value: 'acme', count: 12 },
              { value: 'zenith', count: 6 },
              { value: 'north', count: 6 },
            ],
          },
          {
            field: 'key',
            values: [
              { value: 'order.placed', count: 16 },
              { value: 'order.paid', count: 8 },
            ],
          },
        ],
      },
    ],
  })
  expect(people.stdout).toContain('these split by body.gateway: acme 12, zenith 6, north 6')
  expect(people.stdout).toContain('--group-by body.gateway')
})

test('messages of one cause are grouped by what they have in a field, and found by the same', async () => {
  const { dlq, exchange, pipe } = await setup(four)

  const grouped = await pipe(
    'causes',
    dlq,
    '--group-by',
    'key,body.gateway',
    '--where',
    'key:order.paid',
    '--json',
  )
  const found = await pipe(
    'causes',
    dlq,
    '--where',
    `exchange:${exchange} key:order.paid body.gateway:acme`,
    '--json',
  )
  const wrong = await pipe('causes', dlq, '--group-by', 'kee')

  const { causes } = JSON.parse(grouped.stdout) as { causes: { by: { value: string }[]; count: number }[] }
  expect(causes.map(({ by, count }) => [...by.map(({ value }) => value), count])).toEqual([
    ['order.paid', 'acme', 4],
    ['order.paid', 'north', 2],
    ['order.paid', 'zenith', 2],
  ])
  expect(JSON.parse(found.stdout)).toMatchObject({ causes: [{ count: 4 }] })
  expect(wrong).toMatchObject({ exitCode: 1 })
  expect(wrong.stderr).toContain('cannot be grouped by "kee"')
  expect(wrong.stderr).toContain('did you mean "key"?')
})

test('peek shows the type, the key and the properties of a message', async () => {
  const { dlq, exchange, publisher, work, reject, pipe } = await setup([])
  await publisher.publish({
    exchange,
    key: 'order.placed',
    body: { id: 1 },
    messageId: 'm-1',
    type: 'OrderPlaced',
    correlationId: 'c-1',
    priority: 5,
    appId: 'shop',
    headers: { tenant: Buffer.from('acme') },
  })
  await reject()

  const shown = await pipe('peek', dlq)
  const { messages } = JSON.parse((await pipe('peek', dlq, '--json')).stdout) as { messages: unknown[] }

  expect(shown.stdout).toContain(`rejected (${work})`)
  expect(shown.stdout).toContain('\n  type OrderPlaced\n')
  expect(shown.stdout).toContain(`\n  key order.placed, exchange ${exchange}\n`)
  expect(shown.stdout).toMatch(
    /\n {2}content-type application\/json, .*priority 5, correlation-id c-1, .*app-id shop/,
  )
  expect(shown.stdout).toContain('\n  tenant: acme\n')
  expect(messages).toMatchObject([
    {
      type: 'OrderPlaced',
      publishedTo: { exchange, key: 'order.placed' },
      properties: { correlationId: 'c-1', priority: 5, appId: 'shop' },
      headers: { tenant: Buffer.from('acme').toString('base64') },
    },
  ])
})

test('the library groups by the same', async () => {
  const { dlq } = await setup(four)
  const warren = await connect(broker.url, {
    managementUrl: Object.assign(new URL(broker.managementUrl), broker).href,
  })
  onTestFinished(() => warren.close())

  const groups = await warren.deadLetters(dlq).causes({ groupBy: ['body.gateway'] })
  const [whole] = await warren.deadLetters(dlq).causes()

  expect(groups.map(({ by, count }) => [by?.[0]?.value, count])).toEqual([
    ['acme', 12],
    ['zenith', 6],
    ['north', 6],
  ])
  expect(whole?.splits?.[0]?.field).toBe('body.gateway')
})
