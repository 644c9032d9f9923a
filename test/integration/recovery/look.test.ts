import { expect, test } from 'vitest'
import { type IncomingMessage, joinBody } from '../../../packages/warrenmq/src/broker/amqp/message.ts'
import { openManagement } from '../../../packages/warrenmq/src/broker/management/open-management.ts'
import { lookAtQueue } from '../../../packages/warrenmq/src/recovery/look/look-at-queue.ts'
import { createCauseGroups } from '../../../packages/warrenmq/src/recovery/read/cause-groups.ts'
import { readDeadLetter } from '../../../packages/warrenmq/src/recovery/read/read-dead-letter.ts'
import { eventually } from '../../support/eventually.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createRecoveryRig, type RecoveryRig } from './recovery-rig.ts'

const broker = await useBroker()
let number = 0

async function setup(args?: Parameters<RecoveryRig['declare']>[1], acceptDeliveryLimit = false) {
  const rig = await createRecoveryRig(broker)
  number += 1
  const dlq = `dlq-${number}`
  await rig.declare(dlq, args)
  const look = async (count?: number) => {
    const seen: string[] = []
    const onMessage = ({ body }: IncomingMessage) => {
      seen.push(joinBody(body).toString())
    }
    const report = await lookAtQueue({
      ...rig,
      queue: dlq,
      by: 'test',
      onMessage,
      acceptDeliveryLimit,
      ...(count === undefined ? {} : { count }),
    })
    return { ...report, bodies: seen }
  }
  return { ...rig, dlq, look }
}

test('a queue can be looked at whose name is as long as a name can be', async () => {
  const rig = await createRecoveryRig(broker)
  const dlq = `${namePerTry('ü'.repeat(124))}.dlq`
  await rig.declare(dlq)
  await rig.fill(dlq, 3)
  const look = () => lookAtQueue({ ...rig, queue: dlq, by: 'test', onMessage: () => {} })

  expect(await look()).toMatchObject({ present: 3, seen: 3 })
})

test('a listener that throws over a message gets its error, and everything is back in order', async () => {
  const { dlq, fill, look, depth, ...rig } = await setup()
  await fill(dlq, 50)
  const seen: string[] = []
  const onMessage = ({ body }: IncomingMessage) => {
    seen.push(joinBody(body).toString())
    if (seen.length === 10) throw new Error('cannot read this one')
  }

  const failing = lookAtQueue({ ...rig, queue: dlq, by: 'test', onMessage })

  await expect(failing).rejects.toThrow('cannot read this one')
  expect(seen).toEqual(numbers(10))
  await eventually(async () => expect(await depth(dlq)).toBe(50))
  expect((await look()).bodies).toEqual(numbers(50))
})

const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index))

test.each([
  ['an unlimited', undefined, false],
  ['a limited', { 'x-queue-type': 'quorum', 'x-delivery-limit': 20 }, true],
] as const)(
  'a hundred looks at %s quorum queue lose nothing and keep the order',
  async (_name, args, accepts) => {
    const { dlq, fill, look, depth, drain } = await setup(args, accepts)
    await fill(dlq, 12)

    for (let round = 0; round < 100; round += 1) expect((await look()).bodies).toEqual(numbers(12))

    await eventually(async () => expect(await depth(dlq)).toBe(12))
    expect((await drain(dlq)).map(({ body }) => body)).toEqual(numbers(12))
  },
)

test.each([
  ['unlimited', undefined, false],
  ['limited', { 'x-queue-type': 'quorum', 'x-delivery-limit': 20 }, true],
] as const)(
  'what died of a delivery limit outlives looks at a queue that is %s',
  async (_name, args, accepts) => {
    const { dlq, admin, fill, declare, look, depth, drain } = await setup(args, accepts)
    const deadLetters = { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': dlq }
    await declare(`${dlq}-work`, { 'x-queue-type': 'quorum', 'x-delivery-limit': 2, ...deadLetters })
    await fill(`${dlq}-work`, 5)
    await eventually(async () => {
      for (let got = await admin.get(`${dlq}-work`); got; got = await admin.get(`${dlq}-work`)) {
        got.reject({ requeue: true })
      }
      expect(await depth(dlq)).toBe(5)
    })

    for (let round = 0; round < 5; round += 1) expect((await look()).seen).toBe(5)

    await eventually(async () => expect(await depth(dlq)).toBe(5))
    expect((await drain(dlq)).map(({ body }) => body).sort()).toEqual(numbers(5))
  },
)

test('a queue with a delivery limit is refused before a message is taken', async () => {
  const { dlq, fill, look, admin } = await setup({ 'x-queue-type': 'quorum', 'x-delivery-limit': 3 })
  await fill(dlq, 5)

  await expect(look()).rejects.toMatchObject({ code: 'RECOVERY_LOOK_REFUSED' })

  expect(await admin.get(dlq)).toMatchObject({ isRedelivered: false, messageCount: 4 })
})

test('a queue of which nobody can tell the limit is refused, unless it was accepted', async () => {
  const { dlq, fill, consuming, publishing } = await setup({ 'x-queue-type': 'classic' })
  await fill(dlq, 5)
  const task = { consuming, publishing, queue: dlq, by: 'test', onMessage: () => {} }

  const accepting = { ...task, acceptDeliveryLimit: true }
  const management = openManagement('http://nobody:nothing@127.0.0.1:1')

  await expect(lookAtQueue(task)).rejects.toMatchObject({ code: 'RECOVERY_LOOK_REFUSED' })
  expect(await lookAtQueue(accepting)).toMatchObject({ seen: 5 })
  await expect(lookAtQueue({ ...task, management })).rejects.toMatchObject({ code: 'MANAGEMENT_UNREACHABLE' })
  expect(await lookAtQueue({ ...accepting, management })).toMatchObject({ seen: 5 })
})

test('a look at the first few leaves all where they are', async () => {
  const { dlq, fill, look, drain, depth } = await setup({ 'x-queue-type': 'classic' })
  await fill(dlq, 700)

  const first = await look(3)

  expect(first).toMatchObject({ present: 700, seen: 3, refreshed: 0, bodies: ['0', '1', '2'] })
  await eventually(async () => expect(await depth(dlq)).toBe(700))
  expect((await drain(dlq)).map(({ body }) => body)).toEqual(numbers(700))
})

test('a look holds more messages than the broker sends ahead', async () => {
  const { dlq, fill, look, depth } = await setup()
  await fill(dlq, 3_000)

  expect((await look()).seen).toBe(3_000)

  await eventually(async () => expect(await depth(dlq)).toBe(3_000))
})

test('causes are grouped with their counts, and what is not known stays unknown', async () => {
  const { dlq, fill, consuming, publishing, management } = await setup()
  const failure = (index: number) => ({
    headers: {
      'x-original-queue': 'orders',
      'warren-error-type': 'TimeoutError',
      'x-final-error': `no answer from 10.0.0.${index} after ${index} ms`,
      'warren-last-failed-at': new Date(Date.UTC(2026, 0, 1, 0, 0, index)).toISOString(),
    },
  })
  await fill(dlq, 10, (index) => (index < 7 ? failure(index) : {}))
  const groups = createCauseGroups()

  const onMessage = groups.add
  await lookAtQueue({ consuming, publishing, management, queue: dlq, by: 'test', onMessage })

  const [timeouts, unknown] = groups.list()
  expect(timeouts).toMatchObject({
    kind: 'error',
    count: 7,
    sample: 'm-0',
    first: '2026-01-01T00:00:00.000Z',
    last: '2026-01-01T00:00:06.000Z',
  })
  expect(timeouts?.label).toContain('TimeoutError')
  expect(unknown).toMatchObject({ id: 'unknown', count: 3, first: undefined })
})

test('a dead letter is shown with its cause, its origin and as much of its body as was asked for', async () => {
  const { dlq, publisher, consuming, publishing, management } = await setup()
  const headers = { 'x-original-queue': 'orders', 'warren-attempts': 3, 'x-final-error': 'boom' }
  await publisher.publish({ key: dlq, body: 'abcdef', type: 'order.placed', messageId: 'a', headers })
  await publisher.publish({ key: dlq, body: Buffer.from([255, 0, 254]), messageId: 'b' })
  const shown: ReturnType<typeof readDeadLetter>[] = []

  const onMessage = (message: Parameters<typeof readDeadLetter>[0]) => {
    shown.push(readDeadLetter(message, 4))
  }
  await lookAtQueue({ consuming, publishing, management, queue: dlq, by: 'test', onMessage })

  expect(shown[0]).toMatchObject({
    id: 'a',
    type: 'order.placed',
    queue: 'orders',
    attempts: 3,
    bodyBytes: 6,
    body: { encoding: 'utf8', text: 'abcd', isCut: true },
  })
  expect(shown[1]).toMatchObject({ id: 'b', body: { encoding: 'base64', text: '/wD+', isCut: false } })
})
