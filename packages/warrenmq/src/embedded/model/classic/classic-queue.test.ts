import { expect, test } from 'vitest'
import { createModelBench } from '../../../../../../test/conformance/model-bench.ts'
import { ProtocolError } from '../protocol-error.ts'

test('what is returned goes back to where it stood, in whatever order it comes back', () => {
  const bench = createModelBench('4.0')
  bench.declare('work')
  const client = bench.open()
  for (const body of '123456') client.publish('work', body)
  const tags = [1, 2, 3].map(() => client.get('work')!.tag)

  for (const tag of tags.toReversed()) client.settle(tag, 'return')

  expect(bench.bodies('work').join('')).toBe('123456')
  expect(client.get('work')).toMatchObject({ body: '1', isRedelivered: true })
})

test('only the head expires, so a short life behind a long one is not short', () => {
  const bench = createModelBench('4.3')
  bench.declare('work')
  const client = bench.open()
  client.publish('work', 'long', { expiration: '2500' })
  client.publish('work', 'short', { expiration: '200' })

  bench.advance(2499)
  const before = bench.bodies('work')
  bench.advance(1)

  expect(before).toEqual(['long', 'short'])
  expect(bench.bodies('work')).toEqual([])
})

test('a queue that is full drops its head, and the head of the highest priority first', () => {
  const bench = createModelBench('4.0')
  bench.declare('work', { 'x-max-length': 2, 'x-max-priority': 5 })
  const client = bench.open()
  client.publish('work', 'low', { priority: 1 })
  client.publish('work', 'high', { priority: 5 })
  client.publish('work', 'middle', { priority: 3 })

  expect(bench.bodies('work')).toEqual(['middle', 'low'])
})

test('a prefetch of one lets one message out at a time, and consumers take turns', () => {
  const bench = createModelBench('4.0')
  bench.declare('work')
  const [one, other] = [bench.open(), bench.open()]
  one.consume('work', { prefetch: 1 })
  other.consume('work', { prefetch: 1 })
  for (const body of '1234') one.publish('work', body)

  one.settle(1, 'ack')

  expect(one.seen.map(({ body }) => body)).toEqual(['1', '3'])
  expect(other.seen.map(({ body }) => body)).toEqual(['2'])
  expect(bench.bodies('work')).toEqual(['4'])
})

test('an unused queue that expires goes with its messages', () => {
  const bench = createModelBench('4.0')
  bench.declare('work', { 'x-expires': 1000 })
  const client = bench.open()
  client.publish('work', 'm')
  bench.advance(900)
  client.settle(client.get('work')!.tag, 'return')
  bench.advance(999)
  const isThere = bench.actor.vhost.queues.has('work')
  bench.advance(1)

  expect(isThere).toBe(true)
  expect(bench.actor.vhost.queues.has('work')).toBe(false)
})

test('a second consumer beside an exclusive one is refused', () => {
  const bench = createModelBench('4.0')
  const work = bench.declare('work')
  const client = bench.open()
  work.consume({
    tag: 'only',
    channel: client.channel.port,
    noAck: false,
    isExclusive: true,
    prefetch: 0,
    priority: 0,
    arguments: [],
  })

  expect(() => bench.open().consume('work')).toThrow(
    new ProtocolError('ACCESS_REFUSED', "queue 'work' in vhost '/' in exclusive use"),
  )
})

test('a double acknowledgement names the tag that nobody knows', () => {
  const bench = createModelBench('4.0')
  bench.declare('work')
  const client = bench.open()
  client.publish('work', 'm')
  client.settle(client.get('work')!.tag, 'ack')

  expect(() => client.settle(1, 'ack')).toThrow('unknown delivery tag 1')
})
