import fc from 'fast-check'
import type {
  Arguments,
  BindingDeclaration,
  ExchangeDeclaration,
  QueueDeclaration,
  TopologyDeclaration,
} from '../../../packages/warrenmq/src/topology/declaration.ts'

/** Plain queues that dead-letter to each other at will, and queues of the layouts with a few arguments overruled. */
export function arbitraryTopology(options: ArbitraryOptions): fc.Arbitrary<TopologyDeclaration> {
  const plain = fc.record({ a: plainQueue(options), b: plainQueue(options), c: plainQueue(options) })
  const laidOut = fc.option(layoutQueue(options), { nil: undefined })
  const expiring = fc.option(fc.constantFrom('a', 'w-1', 'w.queue.w-1'), { nil: undefined, freq: 1 })
  return fc
    .record({ plain, laidOut, exchanges: exchangesWith, expiring })
    .map(({ plain: queues, laidOut: laid, exchanges, expiring: key }) => ({
      exchanges,
      queues: { ...queues, ...(laid && { 'w-1': laid }) },
      ...(key && { publications: [{ exchange: '', key, expiration: options.expirationMs }] }),
    }))
}

export interface ArbitraryOptions {
  readonly ttlsMs: readonly number[]
  readonly expiresMs: number
  /** Of messages that a producer lets expire. */
  readonly expirationMs: number
  /** Whether `x-delivery-limit: -1` may be said on plain queues. */
  readonly limits: readonly number[]
}

const queueNames = ['a', 'b', 'c', 'w-1'] as const
const absent = { nil: undefined, freq: 2 } as const
const exchangesWith: fc.Arbitrary<Readonly<Record<string, ExchangeDeclaration>>> = fc.constantFrom(
  { 'x.direct': { type: 'direct' }, 'x.topic': { type: 'topic' }, 'x.fanout': { type: 'fanout' } },
  {
    'x.direct': { type: 'direct', alternateExchange: 'x.fanout' },
    'x.topic': { type: 'topic', bind: [{ exchange: 'x.direct', key: 'k' }] },
    'x.fanout': { type: 'fanout' },
  },
)

const binding: fc.Arbitrary<BindingDeclaration> = fc.oneof(
  fc.record({ exchange: fc.constant('x.direct'), key: fc.constantFrom('k', 'l', 'a') }),
  fc.record({ exchange: fc.constant('x.topic'), key: fc.constantFrom('#', '*', 'k', 'b.*', 'a') }),
  fc.record({ exchange: fc.constant('x.fanout'), key: fc.constant('') }),
)
const bind = fc.uniqueArray(binding, { maxLength: 2, selector: ({ exchange, key }) => `${exchange} ${key}` })

const deadLetter: fc.Arbitrary<Arguments> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  {
    weight: 5,
    arbitrary: fc.constantFrom(...queueNames).map((name) => ({
      'x-dead-letter-exchange': '',
      'x-dead-letter-routing-key': name,
    })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(
        fc.constantFrom('x.direct', 'x.topic', 'x.fanout'),
        fc.option(fc.constantFrom('k', 'b.k'), absent),
      )
      .map(([exchange, key]) => ({
        'x-dead-letter-exchange': exchange,
        ...(key !== undefined && { 'x-dead-letter-routing-key': key }),
      })),
  },
  { weight: 1, arbitrary: fc.constant({ 'x-dead-letter-exchange': 'ghost' }) },
)

const overflow = fc.constantFrom(undefined, 'drop-head', 'reject-publish', 'reject-publish-dlx')

function limits({ ttlsMs, expiresMs }: ArbitraryOptions): fc.Arbitrary<Arguments> {
  return fc
    .record({
      'x-message-ttl': fc.option(fc.constantFrom(...ttlsMs), absent),
      'x-max-length': fc.option(fc.constantFrom(1, 2), absent),
      'x-overflow': overflow,
      'x-expires': fc.option(fc.constant(expiresMs), { nil: undefined, freq: 9 }),
    })
    .map(withoutAbsent)
}

function plainQueue(options: ArbitraryOptions): fc.Arbitrary<QueueDeclaration> {
  const parts = { bind, deadLetter, limits: limits(options) }
  const classic = fc
    .record({ ...parts, durable: fc.integer({ max: 9, min: 0 }), autoDelete: fc.integer({ max: 9, min: 0 }) })
    .map((each) => ({
      type: 'classic' as const,
      deadLetter: false as const,
      bind: each.bind,
      durable: each.durable > 0,
      autoDelete: each.autoDelete === 0,
      arguments: { ...each.deadLetter, ...each.limits },
    }))
  const quorum = fc
    .record({
      ...parts,
      limit: fc.option(fc.constantFrom(...options.limits), absent),
      isAtLeastOnce: fc.boolean(),
    })
    .map((each) => ({
      type: 'quorum' as const,
      deadLetter: false as const,
      bind: each.bind,
      arguments: {
        ...each.deadLetter,
        ...each.limits,
        ...(each.limit !== undefined && { 'x-delivery-limit': each.limit }),
        ...(each.isAtLeastOnce &&
          'x-dead-letter-exchange' in each.deadLetter && {
            'x-dead-letter-strategy': 'at-least-once',
            'x-overflow': 'reject-publish',
          }),
      },
    }))
  return fc.oneof(classic, quorum)
}

function layoutQueue(options: ArbitraryOptions): fc.Arbitrary<QueueDeclaration> {
  const more = fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: limits(options) })
  return fc
    .record({
      layout: fc.constantFrom('warren', 'ratatoskr', 'isolated', 'event-bus'),
      isExact: fc.boolean(),
      ttlMs: fc.constantFrom(...options.ttlsMs),
      bind,
      work: more,
      wait: more,
      dlq: more,
    })
    .map(({ layout, isExact, ttlMs, bind: bindings, work, wait, dlq }) => ({
      layout,
      bind: bindings,
      arguments: work,
      exact: layout !== 'warren' && isExact,
      // A wait queue without a TTL of its own keeps the delay, whatever is overruled.
      retry: { delays: [ttlMs], arguments: { ...wait, 'x-message-ttl': ttlMs } },
      deadLetter: { arguments: dlq },
    }))
}

function withoutAbsent(args: Readonly<Record<string, string | number | undefined>>): Arguments {
  return Object.fromEntries(
    Object.entries(args).filter((entry): entry is [string, string | number] => entry[1] !== undefined),
  )
}
