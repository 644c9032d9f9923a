import { describe, expect, test } from 'vitest'
import { createModelBench } from '../../../../../../test/conformance/model-bench.ts'
import type { ProfileName } from '../profile.ts'
import type { Settlement } from '../queue/queued-message.ts'

const quorum = { 'x-queue-type': 'quorum' }

describe('a message that is returned to the head', () => {
  const cases: readonly (readonly [ProfileName, limit: number | undefined, order: string])[] = [
    ['3.10', 5, '123456'],
    ['4.0', 5, '123456'],
    ['4.3', 5, '123456'],
    ['3.10', undefined, '234561'],
    ['4.0', -1, '234561'],
    ['4.3', -1, '123456'],
  ]

  test.each(cases)('on %s with the limit %s leaves the order %s', (profile, limit, order) => {
    const bench = createModelBench(profile)
    bench.declare('work', { ...quorum, 'x-delivery-limit': limit })
    const client = bench.open()
    for (const body of '123456') client.publish('work', body)

    client.settle(client.get('work')!.tag, 'return')

    expect(bench.bodies('work').join('')).toBe(order)
  })

  test.each([
    ['3.10', 5, '321456'],
    ['4.0', 5, '321456'],
    ['4.3', 5, '321456'],
    ['3.10', undefined, '456321'],
    ['4.0', -1, '456321'],
  ] as const)('on %s with the limit %s, three in reverse, leaves the order %s', (profile, limit, order) => {
    const bench = createModelBench(profile)
    bench.declare('work', { ...quorum, 'x-delivery-limit': limit })
    const client = bench.open()
    for (const body of '123456') client.publish('work', body)
    const tags = [1, 2, 3].map(() => client.get('work')!.tag)

    for (const tag of tags.toReversed()) client.settle(tag, 'return')

    expect(bench.bodies('work').join('')).toBe(order)
  })

  test.each(['3.10', '4.0', '4.3'] as const)(
    'on %s keeps the order when the channel ends instead',
    (profile) => {
      const bench = createModelBench(profile)
      bench.declare('work', quorum)
      const client = bench.open()
      for (const body of '123456') client.publish('work', body)
      client.consume('work', { prefetch: 3 })

      client.close()

      expect(bench.bodies('work').join('')).toBe('123456')
    },
  )
})

describe('the delivery limit', () => {
  type Way = Settlement | 'recover' | 'close'
  const counted: readonly (readonly [ProfileName, Way, boolean])[] = [
    ['3.10', 'return', true],
    ['4.0', 'return', true],
    ['4.3', 'return', false],
    ['3.10', 'reject-return', true],
    ['4.0', 'reject-return', true],
    ['4.3', 'reject-return', true],
    ['3.10', 'recover', true],
    ['4.0', 'recover', true],
    ['4.3', 'recover', false],
    ['3.10', 'close', true],
    ['4.0', 'close', true],
    ['4.3', 'close', true],
  ]

  test.each(counted)('on %s counts %s: %s', (profile, way, isCounted) => {
    const bench = createModelBench(profile)
    bench.declare('work', { ...quorum, 'x-delivery-limit': 3 })
    bench.open().publish('work', 'm')

    for (let round = 0; round < 4; round += 1) {
      const client = bench.open()
      const delivery = client.get('work')!
      if (way === 'close') client.close()
      else if (way === 'recover') client.recover()
      else client.settle(delivery.tag, way)
    }

    expect(bench.bodies('work')).toEqual(isCounted ? [] : ['m'])
  })

  test.each([
    ['3.10', undefined],
    ['4.0', 21],
    ['4.3', 21],
  ] as const)('on %s is by default reached at the return number %s', (profile, dropsAt) => {
    const bench = createModelBench(profile)
    bench.declare('work', quorum)
    bench.open().publish('work', 'm')
    let rounds = 0

    while (rounds < 30 && bench.bodies('work').length > 0) {
      const client = bench.open()
      client.settle(client.get('work')!.tag, 'reject-return')
      rounds += 1
    }

    expect(rounds).toBe(dropsAt ?? 30)
  })

  test('of -1 drops at the first return on 3.10 and means none from 4.0 on', () => {
    const dropped = (['3.10', '4.0', '4.3'] as const).map((profile) => {
      const bench = createModelBench(profile)
      bench.declare('work', { ...quorum, 'x-delivery-limit': -1 })
      const client = bench.open()
      client.publish('work', 'm')
      client.settle(client.get('work')!.tag, 'reject-return')
      return bench.bodies('work').length === 0
    })

    expect(dropped).toEqual([true, false, false])
  })

  test('on 4.3 is checked against the count that a dead letter brings from the queue before', () => {
    const bench = createModelBench('4.3')
    bench.declare('work', { ...quorum, 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'dead' })
    bench.declare('dead', quorum)
    const client = bench.open()
    client.publish('work', 'm')
    for (let round = 0; round < 21; round += 1) client.settle(client.get('work')!.tag, 'reject-return')
    const peeked = client.get('dead')!

    client.settle(peeked.tag, 'return')

    expect(peeked.headers['x-delivery-count']).toBe(21)
    expect(bench.bodies('dead')).toEqual([])
  })
})

describe('at-least-once dead-lettering', () => {
  const source = {
    ...quorum,
    'x-dead-letter-exchange': 'late',
    'x-dead-letter-strategy': 'at-least-once',
    'x-overflow': 'reject-publish',
  }

  test('keeps a dead letter that has nowhere to go', () => {
    const bench = createModelBench('4.0')
    const work = bench.declare('work', source)
    const client = bench.open()
    client.publish('work', 'm')

    client.settle(client.get('work')!.tag, 'reject-discard')

    expect(work.counts()).toMatchObject({ ready: 0, unacknowledged: 0, deadLetters: 1 })
  })

  test('without reject-publish falls back to losing it', () => {
    const bench = createModelBench('4.0')
    const work = bench.declare('work', { ...source, 'x-overflow': 'drop-head' })
    const client = bench.open()
    client.publish('work', 'm')

    client.settle(client.get('work')!.tag, 'reject-discard')

    expect(work.counts().deadLetters).toBe(0)
  })

  test('is held up by 32 letters that cannot leave, until three minutes have passed and they can', () => {
    const bench = createModelBench('4.0')
    const work = bench.declare('work', {
      ...source,
      'x-dead-letter-exchange': '',
    })
    const client = bench.open()
    for (let at = 0; at < 33; at += 1) client.publish('work', `m${at}`)
    client.consume('work')
    // Rejected with their own routing key, they would come back to where they died; expired, they would cycle.
    work.applySettings({ ...work.settings(), deadLetterRoutingKey: 'later' }, work.policy())
    client.settle(0, 'reject-discard', true)
    bench.declare('later')
    bench.advance(179_999)
    const before = bench.bodies('later').length

    bench.advance(1)

    expect(before).toBe(0)
    expect(bench.bodies('later')).toHaveLength(33)
    expect(work.counts().deadLetters).toBe(0)
  })
})

test('a full quorum queue that rejects publishes takes one too many, and then none until it is four fifths full', () => {
  const bench = createModelBench('4.3')
  bench.declare('work', { ...quorum, 'x-max-length': 5, 'x-overflow': 'reject-publish' })
  const client = bench.open()
  for (let at = 1; at <= 8; at += 1) client.publish('work', `m${at}`)
  const reader = bench.open()
  reader.settle(reader.get('work')!.tag, 'ack')
  client.publish('work', 'still refused')
  reader.settle(reader.get('work')!.tag, 'ack')
  client.publish('work', 'let in')

  expect(client.told).toEqual([
    'ack 1',
    'ack 2',
    'ack 3',
    'ack 4',
    'ack 5',
    'ack 6',
    'nack 7',
    'nack 8',
    'nack 9',
    'ack 10',
  ])
  expect(bench.bodies('work')).toEqual(['m3', 'm4', 'm5', 'm6', 'let in'])
})

test('delayed retry of 4.3 holds a rejected message back for longer each time', () => {
  const bench = createModelBench('4.3')
  bench.declare('work', {
    ...quorum,
    'x-delayed-retry-type': 'failed',
    'x-delayed-retry-min': 400,
    'x-delayed-retry-max': 1000,
  })
  const client = bench.open()
  client.publish('work', 'm')
  const delays: number[] = []

  for (let round = 0; round < 3; round += 1) {
    client.settle(client.get('work')!.tag, 'reject-return')
    let waited = 0
    while (bench.bodies('work').length === 0) {
      bench.advance(100)
      waited += 100
    }
    delays.push(waited)
  }

  expect(delays).toEqual([400, 800, 1000])
})

test('a consumer of 4.3 that holds a message for half an hour is cancelled and the message is ready again', () => {
  const bench = createModelBench('4.3')
  bench.declare('work', quorum)
  const client = bench.open()
  client.publish('work', 'm')
  client.consume('work')

  bench.advance(1_800_000)

  expect(client.told).toContain('cancel t1')
  expect(bench.bodies('work')).toEqual(['m'])
})

test.each(['3.10', '4.0'] as const)(
  'a channel on %s that holds a message for half an hour is closed',
  (profile) => {
    const bench = createModelBench(profile)
    bench.declare('work', quorum)
    const client = bench.open()
    client.publish('work', 'm')
    client.consume('work')

    bench.advance(1_860_000)

    expect(client.errors[0]?.replyText).toBe(
      'PRECONDITION_FAILED - delivery acknowledgement on channel 1 timed out. Timeout value used: 1800000 ms. ' +
        'This timeout value can be configured, see consumers doc guide to learn more',
    )
  },
)

describe('more than a quorum queue may hold come back at once', () => {
  function returnThree(profile: ProfileName) {
    const bench = createModelBench(profile)
    bench.declare('dead')
    bench.declare('work', {
      ...quorum,
      'x-max-length': 1,
      'x-dead-letter-exchange': '',
      'x-dead-letter-routing-key': 'dead',
    })
    const holder = bench.open()
    holder.consume('work', { prefetch: 5 })
    for (const body of '123') holder.publish('work', body)
    return { bench, holder }
  }

  test.each([
    ['3.10', ['2', '1']],
    ['4.0', ['2', '1']],
    ['4.3', ['1', '2']],
  ] as const)('on %s those that are dropped are sent on as %j', (profile, order) => {
    const { bench, holder } = returnThree(profile)

    holder.close()

    expect(bench.bodies('dead')).toEqual(order)
    expect(bench.bodies('work')).toEqual(['3'])
  })

  test('a consumer that acknowledges automatically gets what the limit has left of them', () => {
    const { bench, holder } = returnThree('4.3')
    const other = bench.open()
    other.consume('work', { prefetch: 1, noAck: true })

    holder.close()

    expect(other.seen.map(({ body }) => body)).toEqual(['1', '3'])
    expect(bench.bodies('dead')).toEqual(['2'])
  })
})

test.each([
  ['3.10', 1],
  ['4.0', 0],
] as const)('on %s a letter that a queue sends to itself at least once leaves %i behind', (profile, left) => {
  const bench = createModelBench(profile)
  const queue = bench.declare('work', {
    ...quorum,
    'x-dead-letter-exchange': '',
    'x-dead-letter-strategy': 'at-least-once',
    'x-overflow': 'reject-publish',
  })
  const client = bench.open()
  client.publish('work', 'round')

  client.settle(client.get('work')!.tag, 'discard')

  expect(bench.bodies('work')).toEqual(['round'])
  expect(queue.counts().deadLetters).toBe(left)
})
