import { expect } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { type EitherBroker, testSameOnBoth } from './same-on-both.ts'

// RabbitMQ filters chunks, not messages. What is published alone and confirmed has a chunk of its own.
const published: readonly [body: string, headers: Record<string, unknown>][] = [
  ['a-1', { 'x-stream-filter-value': 'a' }],
  ['b-1', { 'x-stream-filter-value': 'b' }],
  ['none-1', {}],
  ['c-1', { 'x-stream-filter-value': 'c' }],
  ['empty', { 'x-stream-filter-value': '' }],
  ['a-2', { 'x-stream-filter-value': 'a' }],
]

const filters: readonly Record<string, unknown>[] = [
  { 'x-stream-filter': 'a' },
  { 'x-stream-filter': ['a'] },
  { 'x-stream-filter': ['a', 'c'] },
  { 'x-stream-filter': 'a', 'x-stream-match-unfiltered': true },
  { 'x-stream-filter': 'a', 'x-stream-match-unfiltered': false },
  { 'x-stream-match-unfiltered': true },
  { 'x-stream-match-unfiltered': false },
  { 'x-stream-filter': 'z', 'x-stream-match-unfiltered': true },
  { 'x-stream-filter': ['a', 5] },
  { 'x-stream-filter': 'a', 'x-stream-match-unfiltered': 'true' },
  { 'x-stream-filter': 5 },
]

testSameOnBoth('a reader of a stream gets what its filter lets through', async (broker) => {
  const seen: unknown[] = []
  for (const [index, filter] of filters.entries()) {
    seen.push([filter, await readThrough(broker, `stream-${index}`, filter)])
  }
  return seen
})

/** What a reader gets of all that is there before, and that is published while it reads. */
async function readThrough(
  { connect }: EitherBroker,
  queue: string,
  filter: Record<string, unknown>,
): Promise<readonly string[]> {
  const connection = await connect()
  const publisher = await connection.createConfirmChannel()
  await publisher.assertQueue(queue, { durable: true, arguments: { 'x-queue-type': 'stream' } })
  const publish = async (body: string, headers: object): Promise<void> => {
    publisher.sendToQueue(queue, Buffer.from(body), { headers })
    await publisher.waitForConfirms()
  }
  for (const [body, headers] of published) await publish(body, headers)
  const got: string[] = []
  const channel = await connection.createChannel()
  channel.on('error', () => undefined)
  await channel.prefetch(2)
  await channel.consume(
    queue,
    (message) => {
      got.push(String(message?.content))
      channel.ack(message!)
    },
    { arguments: { 'x-stream-offset': 'first', ...filter } },
  )
  for (const [body, headers] of published) await publish(`${body} later`, headers)
  for (const value of ['a', 'z']) await publish(`last of ${value}`, { 'x-stream-filter-value': value })
  await eventually(() => expect(got.at(-1)).toMatch(/^last of /))
  await connection.close()
  return got.filter((body) => !body.startsWith('last of '))
}

testSameOnBoth('a filter that is none is refused or passed over', async ({ connect }) => {
  const answers: unknown[] = []
  for (const filter of [{ 'x-stream-filter': 5 }, { 'x-stream-filter': true }, { 'x-stream-filter': {} }]) {
    answers.push([filter, await answerOf(await connect(), filter)])
  }
  for (const list of [[], ['a', 5], ['a', ['b']]]) {
    const filter = { 'x-stream-filter': list }
    answers.push([filter, await answerOf(await connect(), filter)])
  }
  for (const value of ['true', 1]) {
    const filter = { 'x-stream-filter': 'a', 'x-stream-match-unfiltered': value }
    answers.push([filter, await answerOf(await connect(), filter)])
  }
  return answers
})

testSameOnBoth('a filter value that is no text', async ({ connect }) => {
  const answers: unknown[] = []
  for (const value of [5, true, ['a'], { a: 1 }, '']) {
    const connection = await connect()
    const ended = new Promise<string>((resolve) =>
      connection.once('error', (error: Error) => resolve(error.message)),
    )
    const channel = await connection.createConfirmChannel()
    const refused = new Promise<string>((resolve) =>
      channel.once('error', (error: Error) => resolve(error.message)),
    )
    await channel.assertQueue('valued', { durable: true, arguments: { 'x-queue-type': 'stream' } })
    channel.sendToQueue('valued', Buffer.from('x'), { headers: { 'x-stream-filter-value': value } })
    const confirmed = channel.waitForConfirms().then(
      () => 'fine',
      () => Promise.race([ended, refused]),
    )
    answers.push([value, await Promise.race([confirmed, ended, refused])])
  }
  return answers
})

async function answerOf(
  connection: Awaited<ReturnType<EitherBroker['connect']>>,
  filter: Record<string, unknown>,
): Promise<string> {
  const ended = new Promise<string>((resolve) =>
    connection.once('close', (error?: Error) => resolve(error?.message ?? 'closed')),
  )
  const channel = await connection.createChannel()
  channel.on('error', () => undefined)
  await channel.assertQueue('filtered', { durable: true, arguments: { 'x-queue-type': 'stream' } })
  await channel.prefetch(1)
  const said = channel
    .consume('filtered', () => undefined, { arguments: { 'x-stream-offset': 'first', ...filter } })
    .then(
      () => 'fine',
      (error: Error) => error.message.replace(/^.*with message /, ''),
    )
  return Promise.race([said, ended])
}
