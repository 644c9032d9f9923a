import { describe, expect, it } from 'vitest'
import { readRascal } from './read-rascal.ts'

const read = (vhost: object, more: object = {}) =>
  readRascal({ vhosts: { '/': vhost }, ...more }, { file: 'rascal.json' })
const missing = (reading: ReturnType<typeof readRascal>) =>
  reading.notes.filter(({ isMissing }) => isMissing).map(({ path }) => path)

describe('a rascal config', () => {
  it('is found where an application keeps it under a name of its own', () => {
    const value = { rascal: { vhosts: { '/': { queues: ['orders'] } } } }
    expect(readRascal(value, { file: 'config.json' }).live.queues).toMatchObject([
      { name: 'orders', type: 'classic' },
    ])
  })

  it('of several vhosts has to say which', () => {
    const value = { vhosts: { v1: { queues: ['a'] }, v2: { queues: ['b'] } } }
    expect(() => readRascal(value, { file: 'c.json' })).toThrow('Name one with --vhost: "v1", "v2"')
    expect(() => readRascal(value, { file: 'c.json', vhost: 'v3' })).toThrow('c.json has no vhost "v3"')
    expect(readRascal(value, { file: 'c.json', vhost: 'v2' }).live.queues).toMatchObject([{ name: 'b' }])
  })

  it('without vhosts is none', () => {
    expect(() => readRascal([], { file: 'c.json' })).toThrow('c.json is not a rascal config')
  })

  it('has publications and subscriptions outside of its vhosts, too', () => {
    const { publications, notes } = read(
      { exchanges: { all: { type: 'fanout' } }, queues: ['orders'] },
      {
        publications: { ours: { exchange: 'all' }, theirs: { vhost: 'v2', queue: 'x' } },
        subscriptions: { ours: { queue: 'orders', prefetch: 5 }, theirs: { vhost: 'v2', queue: 'x' } },
      },
    )
    expect(publications).toEqual([{ exchange: 'all' }])
    expect(notes).toEqual([
      {
        path: 'subscriptions.ours',
        says: "warren.consume('orders', handler, { prefetch: 5 })",
        isMissing: false,
      },
    ])
  })

  it('names what cannot be declared ahead', () => {
    const queues = { mine: { options: { exclusive: true } }, reply: { replyTo: true }, orders: {} }
    const reading = read({
      namespace: true,
      exchanges: ['e'],
      queues,
      bindings: ['e -> mine', 'e -> orders'],
    })

    expect(missing(reading)).toEqual(['vhosts./.namespace', 'queues.mine', 'queues.reply'])
    expect(reading.live.bindings).toMatchObject([{ source: 'e', destination: 'orders', key: '#' }])
  })

  it.each([
    [{ strategy: 'nack' }, "return reject('…'): it is parked in the dead-letter queue."],
    [{ strategy: 'nack', requeue: true }, 'return retry(): it comes back after its delay, not immediately.'],
    [{ strategy: 'nack', requeue: true, defer: 30_000 }, "return retry({ after: '30s' })."],
    [{ strategy: 'fallback-nack' }, "return reject('…'): it is parked in the dead-letter queue."],
    [
      { strategy: 'republish', defer: 60_000, attempts: 10 },
      "throw, and declare retry: { delays: ['1m'], maxAttempts: 11 } on the queue.",
    ],
    [
      { strategy: 'republish', immediateNack: true },
      "return reject('…'): it is parked immediately, with its error.",
    ],
    [
      { strategy: 'forward', publication: 'later', attempts: 2 },
      "throw, and declare retry: { delays: ['30s'], maxAttempts: 3 } on the queue.",
    ],
    [{ strategy: 'forward', publication: 'audit' }, 'publish to "audit" in the handler, and return.'],
    [{ strategy: 'magic' }, 'Warren has nothing like the strategy "magic".'],
  ])('has the recovery strategy %j, which is in Warren: %s', (step, says) => {
    const { notes } = read(
      {
        exchanges: ['audit'],
        queues: { later: { options: { messageTtl: 30_000 } } },
        publications: { later: { queue: 'later' }, audit: { exchange: 'audit', routingKey: 'a' } },
      },
      { recovery: { named: [step] } },
    )
    expect(notes.find(({ path }) => path === 'recovery.named')?.says).toBe(says)
  })

  it.each([
    ['topic', { exchange: 'delay', options: { CC: ['delay.1m'] } }, {}, "['1m']"],
    ['topic', { exchange: 'delay', routingKey: 'delay.1h' }, {}, "['1h']"],
    [
      'topic',
      { exchange: 'delay', routingKey: 'delay.1h' },
      { options: { routingKey: 'delay.1m' } },
      "['1m']",
    ],
    ['direct', { exchange: 'delay', routingKey: 'delay.1h' }, {}, "['1h']"],
  ])(
    'forwards by the key of a %s exchange to one of several delay queues: %j %j',
    (type, later, more, delays) => {
      const ttl = (messageTtl: number) => ({ options: { messageTtl } })
      const { notes } = read(
        {
          exchanges: { delay: { type } },
          queues: { 'delay:1m': ttl(60_000), 'delay:1h': ttl(3_600_000) },
          bindings: ['delay[delay.1m] -> delay:1m', 'delay[delay.1h] -> delay:1h'],
          publications: { later },
        },
        { recovery: { retried: [{ strategy: 'forward', publication: 'later', attempts: 9, ...more }] } },
      )
      expect(notes.find(({ path }) => path === 'recovery.retried')?.says).toBe(
        `throw, and declare retry: { delays: ${delays}, maxAttempts: 10 } on the queue.`,
      )
    },
  )

  it('forwards to no delay if the key leads to several queues, or to one without a delay', () => {
    const { notes } = read(
      {
        exchanges: { delay: {}, copies: { type: 'fanout' } },
        queues: { 'delay:1m': { options: { messageTtl: 60_000 } }, all: {}, archive: {} },
        bindings: ['delay[*.1m] -> delay:1m', 'delay[#] -> all', 'copies -> archive'],
        publications: {
          both: { exchange: 'delay', routingKey: 'delay.1m' },
          neither: { exchange: 'copies', routingKey: 'x' },
        },
      },
      {
        recovery: {
          both: { strategy: 'forward', publication: 'both' },
          neither: { strategy: 'forward', publication: 'neither' },
        },
      },
    )
    expect(notes.filter(({ path }) => path.startsWith('recovery.')).map(({ says }) => says)).toEqual([
      'publish to "both" in the handler, and return.',
      'publish to "neither" in the handler, and return.',
    ])
  })

  it('has the options of a subscription as those of a consumer, and says what is otherwise', () => {
    const { notes } = read({
      queues: { orders: {}, log: { options: { arguments: { 'x-queue-type': 'stream' } } } },
      subscriptions: {
        first: {
          queue: 'orders',
          contentType: 'application/json',
          options: { noAck: true, exclusive: true, priority: 3 },
        },
        second: {
          queue: 'log',
          prefetch: 100,
          options: { arguments: { 'x-stream-offset': 'first', 'x-priority': 5 } },
        },
        third: { queue: 'log', options: { arguments: { 'x-stream-offset': 17 } } },
      },
    })
    expect(notes.map(({ path, says }) => `${path}: ${says}`)).toEqual([
      "subscriptions.first: warren.consume('orders', handler, { priority: 3, exclusive: true, decode: 'json' })",
      'subscriptions.first: noAck is true; Warren acknowledges a message when its handler has returned.',
      "subscriptions.second: warren.consume('log', handler, { prefetch: 100, priority: 5, streamOffset: 'first' })",
      "subscriptions.third: warren.consume('log', handler, { streamOffset: 17 })",
    ])
  })

  it('has the options of a publication where the topology or a publish can say them', () => {
    const { publications, notes } = read({
      exchanges: ['events'],
      publications: {
        placed: {
          exchange: 'events',
          routingKey: 'placed',
          options: { expiration: '60000', persistent: false, mandatory: false },
        },
      },
    })
    expect(publications).toEqual([{ exchange: 'events', key: 'placed', expiration: '1m' }])
    expect(notes.map(({ says }) => says)).toEqual([
      'persistent is false; publish with { persistent: false } for the same.',
      'mandatory is false; publish with { mandatory: false } for the same.',
    ])
  })
})
