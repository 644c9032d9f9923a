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
})
