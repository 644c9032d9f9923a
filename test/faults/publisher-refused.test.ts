import { expect, onTestFinished, test } from 'vitest'
import { declareQueue } from '../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { Session } from '../../packages/warrenmq/src/broker/amqp/session.ts'
import { startEmbeddedBroker } from '../../packages/warrenmq/src/embedded/start-embedded-broker.ts'
import { Publisher } from '../../packages/warrenmq/src/publisher/publisher.ts'
import { toFieldTable } from '../../packages/warrenmq/src/wire/plain-fields.ts'
import { eventually } from '../support/eventually.ts'

const full = { 'x-max-length': 1, 'x-overflow': 'reject-publish' }

async function setup() {
  const broker = await startEmbeddedBroker({ profile: '3.10' })
  const session = await Session.open(broker.url, { backoff: { initialMs: 5, maxMs: 50 } })
  const opened: string[] = []
  session.events.on('channel-opened', ({ channel }) => opened.push(channel))
  // The window counts from the first publish without an answer: more than can be sent before its deadline.
  const window = { messages: 100_000, bytes: 64 * 1024 * 1024 }
  const publisher = new Publisher(session, { deadlineMs: 4_000, window })
  onTestFinished(async () => {
    await session.close()
    await broker.stop()
  })
  const channel = await session.openChannel()
  await declareQueue(channel, { queue: 'work' })
  await declareQueue(channel, { queue: 'full', arguments: toFieldTable(full) })
  await publisher.publish({ key: 'full', body: 'fills it' })
  const kindAt = async (key: string) => (await publisher.publish({ key, body: 'x' })).kind
  return { ...broker, publisher, opened, kindAt }
}

test('a publisher that was refused goes on with another channel, without being asked', async () => {
  const { faults, opened, kindAt } = await setup()
  faults.changeConfirms({ kind: 'nack' })

  expect(await kindAt('work')).toBe('nacked')

  await eventually(() => expect(opened).toHaveLength(2), { what: 'another channel' })
  expect(await kindAt('work')).toBe('confirmed')
})

test('a full queue refuses each publish, and keeps those for other queues waiting for nothing', async () => {
  const { opened, kindAt } = await setup()
  const kinds = { full: new Set<string>(), work: new Set<string>() }

  while (opened.length < 3) {
    kinds.full.add(await kindAt('full'))
    kinds.work.add(await kindAt('work'))
    await new Promise((resolve) => setImmediate(resolve))
  }

  expect(kinds).toEqual({ full: new Set(['nacked']), work: new Set(['confirmed']) })
})

test('a publish that is never answered keeps its channel, and the others are sent anyway', async () => {
  const { faults, opened, kindAt, publisher } = await setup()
  faults.changeConfirms({ kind: 'drop' })
  let isAnswered = false
  void publisher.publish({ key: 'work', body: 'x' }).then(() => {
    isAnswered = true
  })
  expect(await kindAt('full')).toBe('nacked')

  const kinds = new Set<string>()
  while (!isAnswered) kinds.add(await kindAt('work'))

  expect(kinds).toEqual(new Set(['confirmed']))
  expect(opened).toHaveLength(1)
})

test('a publisher can be told to go on with another channel, when all it sent is answered', async () => {
  const { opened, kindAt, publisher } = await setup()
  const under = Promise.all(Array.from({ length: 100 }, () => kindAt('work')))

  await publisher.renew()

  expect(new Set(await under)).toEqual(new Set(['confirmed']))
  expect(await kindAt('work')).toBe('confirmed')
  expect(opened).toHaveLength(2)
})
