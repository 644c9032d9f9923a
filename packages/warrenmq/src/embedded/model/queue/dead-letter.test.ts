import { describe, expect, test } from 'vitest'
import { createModelBench, type ModelBench } from '../../../../../../test/conformance/model-bench.ts'
import { bind } from '../exchange/bind.ts'
import { declareExchange } from '../exchange/declare-exchange.ts'

const versions = ['3.10', '4.0', '4.3'] as const
const quorum = { 'x-queue-type': 'quorum' }

function to(queue: string): { 'x-dead-letter-exchange': string; 'x-dead-letter-routing-key': string } {
  return { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': queue }
}

function bindFanout({ actor }: ModelBench, exchange: string, queues: readonly string[]): void {
  declareExchange(actor, {
    exchange,
    type: 'fanout',
    durable: true,
    autoDelete: false,
    internal: false,
    arguments: [],
  })
  for (const destination of queues) {
    bind(actor, { source: exchange, destination, destinationKind: 'queue', routingKey: '', arguments: [] })
  }
}

describe.each(versions)('on %s', (profile) => {
  test('a rejected message carries where, why, how often and to whom it was addressed', () => {
    const bench = createModelBench(profile)
    bench.declare('work', to('dead'))
    bench.declare('dead')
    const client = bench.open()
    client.publish('work', 'm', { headers: { kept: 'x' }, expiration: '5000' })

    client.settle(client.get('work')!.tag, 'reject-discard')

    const { headers } = client.get('dead')!
    expect(headers).toMatchObject({
      kept: 'x',
      'x-first-death-queue': 'work',
      'x-first-death-reason': 'rejected',
      'x-first-death-exchange': '',
      'x-death': [
        {
          count: 1,
          reason: 'rejected',
          queue: 'work',
          exchange: '',
          'routing-keys': ['work'],
          'original-expiration': '5000',
          time: new Date(1_700_000_000_000),
        },
      ],
    })
    expect(headers['x-last-death-queue']).toBe(profile === '3.10' ? undefined : 'work')
    expect(client.channel.actor.vhost.queues.get('dead')!.counts().ready).toBe(0)
  })

  test('a message that is rejected round after round counts up', () => {
    const bench = createModelBench(profile)
    bench.declare('work', to('wait'))
    bench.declare('wait', { ...to('work'), 'x-message-ttl': 1000 })
    const client = bench.open()
    client.publish('work', 'm')

    for (let round = 0; round < 3; round += 1) {
      client.settle(client.get('work')!.tag, 'reject-discard')
      bench.advance(1000)
    }

    const deaths = client.get('work')!.headers['x-death'] as { queue: string; count: number }[]
    expect(deaths.map(({ queue, count }) => [queue, count])).toEqual([
      ['wait', 3],
      ['work', 3],
    ])
  })

  test('a round without a rejection is a cycle, and the message is gone', () => {
    const bench = createModelBench(profile)
    bench.declare('work', { ...to('wait'), 'x-message-ttl': 1000 })
    bench.declare('wait', { ...to('work'), 'x-message-ttl': 1000 })
    bench.open().publish('work', 'm')

    bench.advance(10_000)

    expect([bench.bodies('work'), bench.bodies('wait')]).toEqual([[], []])
  })

  test('with at-least-once the same cycle keeps the message', () => {
    const bench = createModelBench(profile)
    const safe = { ...quorum, 'x-dead-letter-strategy': 'at-least-once', 'x-overflow': 'reject-publish' }
    bench.declare('work', { ...safe, ...to('wait'), 'x-message-ttl': 1000 })
    const wait = bench.declare('wait', { ...safe, ...to('work'), 'x-message-ttl': 1000 })
    bench.open().publish('work', 'm')

    bench.advance(10_000)

    expect(wait.counts().deadLetters).toBe(1)
  })

  test('a message without a dead-letter exchange that exists is gone', () => {
    const bench = createModelBench(profile)
    bench.declare('work', { 'x-dead-letter-exchange': 'nowhere' })
    const client = bench.open()
    client.publish('work', 'm')

    client.settle(client.get('work')!.tag, 'discard')

    expect(client.channel.actor.vhost.queues.get('work')!.counts()).toMatchObject({
      ready: 0,
      unacknowledged: 0,
    })
  })

  test('a full classic queue that rejects publishes loses dead letters, a quorum queue takes them', () => {
    const bench = createModelBench(profile)
    bench.declare('work', { 'x-dead-letter-exchange': 'both' })
    bench.declare('classic', { 'x-max-length': 1, 'x-overflow': 'reject-publish' })
    bench.declare('quorum', { ...quorum, 'x-max-length': 1, 'x-overflow': 'reject-publish' })
    bindFanout(bench, 'both', ['classic', 'quorum'])
    const client = bench.open()
    for (let at = 0; at < 10; at += 1) client.publish('work', `m${at}`)
    client.consume('work')

    client.settle(0, 'discard', true)

    expect([bench.bodies('classic').length, bench.bodies('quorum').length]).toEqual([1, 10])
  })

  test('purging and deleting dead-letter nothing', () => {
    const bench = createModelBench(profile)
    const work = bench.declare('work', to('dead'))
    bench.declare('dead')
    const client = bench.open()
    client.publish('work', 'm')

    const purged = work.purge()

    expect(purged).toBe(1)
    expect(bench.bodies('dead')).toEqual([])
  })
})

test('an x-death that a client sends is believed on 3.10 and only shown from 4.0 on', () => {
  const sent = {
    'x-death': [{ queue: 'work', reason: 'expired', count: 7, exchange: '', 'routing-keys': ['work'] }],
  }
  const counts = versions.map((profile) => {
    const bench = createModelBench(profile)
    bench.declare('work', { ...to('dead'), 'x-message-ttl': 10 })
    bench.declare('dead')
    const client = bench.open()
    client.publish('work', 'm', { headers: sent })
    bench.advance(10)
    const deaths = client.get('dead')!.headers['x-death'] as { count: number }[]
    return deaths[0]?.count
  })

  expect(counts).toEqual([8, 1, 1])
})

test('a re-published message with an old x-death is dropped as a cycle on 3.10 only', () => {
  const arrived = versions.map((profile) => {
    const bench = createModelBench(profile)
    bench.declare('work')
    bench.declare('wait', { ...to('work'), 'x-message-ttl': 10 })
    const client = bench.open()
    const old = {
      'x-death': [{ queue: 'work', reason: 'expired', count: 1, exchange: '', 'routing-keys': ['work'] }],
    }
    client.publish('wait', 'm', { headers: old })
    bench.advance(10)
    return bench.bodies('work').length
  })

  expect(arrived).toEqual([0, 1, 1])
})

test('CC is dropped with a routing key of the dead-letter exchange on 3.10 and kept from 4.0 on', () => {
  const kept = versions.map((profile) => {
    const bench = createModelBench(profile)
    bench.declare('work', to('dead'))
    bench.declare('dead')
    const client = bench.open()
    client.publish('work', 'm', { headers: { CC: ['elsewhere'] } })
    client.settle(client.get('work')!.tag, 'discard')
    return 'CC' in client.get('dead')!.headers
  })

  expect(kept).toEqual([false, true, true])
})

test('long chains of deaths stand in the wrong order on 3.10, as they do there', () => {
  const orders = (['3.10', '4.0'] as const).map((profile) => {
    const bench = createModelBench(profile)
    for (const at of [1, 2, 3, 4]) bench.declare(`q${at}`, { ...to(`q${at + 1}`), 'x-message-ttl': 10 })
    bench.declare('q5')
    const client = bench.open()
    client.publish('q1', 'm')
    bench.advance(100)
    const deaths = client.get('q5')!.headers['x-death'] as { queue: string }[]
    return deaths.map(({ queue }) => queue).join(' ')
  })

  expect(orders).toEqual(['q4 q2 q1 q3', 'q4 q3 q2 q1'])
})

test.each([
  ['3.10', undefined],
  ['4.0', '5000'],
] as const)('on %s a lazy queue remembers the expiration of a dead letter as %s', (profile, expiration) => {
  const bench = createModelBench(profile)
  bench.declare('dead')
  bench.declare('lazy', {
    'x-queue-mode': 'lazy',
    'x-dead-letter-exchange': '',
    'x-dead-letter-routing-key': 'dead',
  })
  const client = bench.open()
  client.publish('lazy', 'late', { expiration: '5000' })

  bench.advance(5000)

  const [death] = client.get('dead')!.headers['x-death'] as readonly { 'original-expiration'?: string }[]
  expect(death?.['original-expiration']).toBe(expiration)
})
