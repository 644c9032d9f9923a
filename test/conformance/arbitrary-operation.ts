import fc from 'fast-check'
import type { PlainTable } from '../../packages/warrenmq/src/wire/plain-fields.ts'
import { typed } from '../../packages/warrenmq/src/wire/plain-fields.ts'
import type { ChannelName, Operation } from './program.ts'

type Of<Kind extends Operation['do']> = Extract<Operation, { do: Kind }>

/** The one without confirms comes less often, since less can be seen on it. */
export const channel: fc.Arbitrary<ChannelName> = fc.constantFrom('a1', 'a1', 'a2', 'a2', 'b1', 'b1', 'b2')
export const queue: fc.Arbitrary<string> = fc.constantFrom('q1', 'q2', 'q3')
/** The last is the one that was declared last on the channel, whatever its name. */
const queueOrLast = fc.constantFrom('q1', 'q2', 'q3', 'q1', 'q2', 'q3', 'q1', 'q2', 'q3', '')
const exchange = fc.constantFrom('x1', 'x2')
const exchangeOrDefault = fc.constantFrom('', '', '', 'x1', 'x2', 'amq.fanout')
const key = fc.constantFrom('a', 'a.b', 'a.b.c', '', '#', 'a.*', '*.b', 'q1', 'q2')
export const tag: fc.Arbitrary<string> = fc.constantFrom('t1', 't2', 't3')
/** The broker names the consumer. */
const tagOrNone = fc.constantFrom('t1', 't2', 't3', 't1', 't2', 't3', '')
const often = fc.constantFrom(true, true, true, false)
const seldom = fc.constantFrom(false, false, false, false, true)

/** Long enough that nothing expires by accident, short enough to wait for. See `waits`. */
export const shortTtlMs = 2000

const argument = (
  values: readonly (PlainTable[string] | undefined)[],
): fc.Arbitrary<PlainTable[string] | undefined> => fc.constantFrom(undefined, undefined, undefined, ...values)

const deadLettering = fc.constantFrom<PlainTable>(
  {},
  {},
  { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'q1' },
  { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'q2' },
  { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'q3' },
  { 'x-dead-letter-exchange': 'x1' },
  { 'x-dead-letter-exchange': 'x1', 'x-dead-letter-routing-key': 'a.b' },
  { 'x-dead-letter-exchange': 'amq.fanout' },
)

const classicArguments = fc
  .record({
    'x-message-ttl': argument([shortTtlMs, 100_000, -1, 'soon']),
    'x-max-length': argument([1, 2, 3, 0]),
    'x-max-length-bytes': argument([20, 40]),
    'x-overflow': argument(['drop-head', 'reject-publish', 'reject-publish-dlx', 'other']),
    'x-max-priority': argument([2, 5]),
    'x-single-active-consumer': argument([true]),
    'x-queue-mode': argument(['default', 'lazy', 'eager']),
    'x-expires': fc.constantFrom(undefined, undefined, undefined, undefined, undefined, shortTtlMs, 0),
    'x-delivery-limit': fc.constantFrom(undefined, undefined, undefined, undefined, undefined, 2),
    'x-unknown': argument(['x']),
    'x-queue-type': argument(['classic']),
  })
  .chain((args) => deadLettering.map((more) => clean({ ...args, ...more })))

const quorumArguments = fc
  .record({
    'x-queue-type': fc.constant('quorum'),
    'x-message-ttl': argument([shortTtlMs, 100_000]),
    'x-max-length': argument([1, 2, 3]),
    'x-overflow': argument(['drop-head', 'reject-publish', 'reject-publish-dlx']),
    'x-delivery-limit': argument([0, 1, 2, 3, -1]),
    'x-single-active-consumer': argument([true]),
    'x-dead-letter-strategy': argument(['at-least-once', 'at-most-once', 'never']),
    'x-max-priority': fc.constantFrom(undefined, undefined, undefined, undefined, undefined, 2),
  })
  .chain((args) => deadLettering.map((more) => clean({ ...args, ...more })))

export const declareClassic: fc.Arbitrary<Operation> = fc.record({
  do: fc.constant('declare-queue' as const),
  on: channel,
  queue,
  durable: often,
  exclusive: seldom,
  autoDelete: seldom,
  passive: fc.constant(false),
  arguments: classicArguments,
})

/** The broker names it; who declares it on an exclusive connection gets rid of it there. */
export const declareNameless: fc.Arbitrary<Operation> = fc.record({
  do: fc.constant('declare-queue' as const),
  on: channel,
  queue: fc.constant(''),
  durable: seldom,
  exclusive: often,
  autoDelete: fc.boolean(),
  passive: fc.constant(false),
  arguments: fc.constantFrom<PlainTable>({}, {}, { 'x-max-length': 1 }, { 'x-dead-letter-exchange': 'x1' }),
})

export const declareQuorum: fc.Arbitrary<Operation> = fc.record({
  do: fc.constant('declare-queue' as const),
  on: channel,
  queue,
  durable: fc.constantFrom(true, true, true, true, true, true, true, false),
  exclusive: fc.constantFrom(false, false, false, false, false, false, false, true),
  autoDelete: fc.constantFrom(false, false, false, false, false, false, false, true),
  passive: fc.constant(false),
  arguments: quorumArguments,
})

/** With them, every type of a header's value. The programs of the known seed stay as they are, without them. */
const otherHeaderValues = [
  typed({ type: 'b', value: -128 }),
  typed({ type: 'B', value: 255 }),
  typed({ type: 'u', value: 65_535 }),
  typed({ type: 'I', value: -2_147_483_648 }),
  typed({ type: 'i', value: 4_294_967_295 }),
  typed({ type: 'f', value: 0.5 }),
  typed({ type: 'd', value: 2 }),
  typed({ type: 'D', value: { scale: 2, unscaled: 314 } }),
  typed({ type: 'T', value: 1_700_000_000n }),
]
const explores = process.env.WARREN_CONFORMANCE_SEED !== undefined

const headerValue = fc.constantFrom(
  'text',
  1,
  -5,
  1.5,
  true,
  null,
  typed({ type: 'l', value: 7n }),
  typed({ type: 's', value: 3 }),
  Buffer.from([1, 2]),
  ['a', 2],
  { inner: 'x', more: 1 },
  ...(explores ? otherHeaderValues : []),
)

const headers = fc
  .record({
    zebra: fc.option(headerValue, { nil: undefined }),
    apple: fc.option(headerValue, { nil: undefined }),
    'x-custom': fc.option(headerValue, { nil: undefined }),
    CC: fc.constantFrom(undefined, undefined, undefined, undefined, ['q2'], ['a.b', 'q1']),
    BCC: fc.constantFrom(undefined, undefined, undefined, undefined, undefined, ['q3']),
  })
  .map(clean)

export const publish: fc.Arbitrary<Of<'publish'>> = fc.record({
  do: fc.constant('publish' as const),
  on: channel,
  exchange: exchangeOrDefault,
  key: fc.constantFrom('q1', 'q2', 'q3', 'q1', 'q2', 'q3', 'a', 'a.b', 'a.b.c', ''),
  mandatory: seldom,
  bodyBytes: fc.constantFrom(3, 5, 15, 30),
  properties: fc
    .record({
      headers: fc.option(headers, { nil: undefined }),
      deliveryMode: fc.constantFrom(undefined, 2, 2, 1),
      priority: fc.constantFrom(undefined, undefined, 0, 1, 2, 4, 5, 9),
      expiration: fc.constantFrom(
        undefined,
        undefined,
        undefined,
        undefined,
        String(shortTtlMs),
        '100000',
        '02000',
      ),
      contentType: fc.constantFrom(undefined, undefined, 'application/json'),
      contentEncoding: fc.constantFrom(undefined, undefined, undefined, 'gzip'),
      correlationId: fc.constantFrom(undefined, undefined, undefined, 'c-1'),
      replyTo: fc.constantFrom(undefined, undefined, undefined, 'somewhere'),
      appId: fc.constantFrom(undefined, undefined, undefined, ''),
      clusterId: fc.constantFrom(undefined, undefined, undefined, 'k'),
      messageId: fc.constantFrom(undefined, 'm-1'),
      type: fc.constantFrom(undefined, undefined, 'order'),
      timestamp: fc.constantFrom(undefined, undefined, 1_700_000_000),
    })
    .map(clean),
})

export const settle: fc.Arbitrary<Of<'settle'>> = fc.record({
  do: fc.constant('settle' as const),
  on: channel,
  how: fc.constantFrom('ack' as const, 'nack' as const, 'reject' as const),
  which: fc.nat({ max: 5 }),
  multiple: seldom,
  requeue: fc.boolean(),
})

export const consume: fc.Arbitrary<Of<'consume'>> = fc.record({
  do: fc.constant('consume' as const),
  on: channel,
  queue: queueOrLast,
  tag: tagOrNone,
  noAck: seldom,
  exclusive: seldom,
  arguments: fc.constantFrom<PlainTable>({}, {}, {}, {}, { 'x-priority': 5 }, { 'x-priority': -1 }),
})

export const other: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({
    do: fc.constant('declare-exchange' as const),
    on: channel,
    exchange,
    type: fc.constantFrom('topic', 'topic', 'direct', 'fanout', 'headers', 'nonsense'),
    durable: often,
    autoDelete: seldom,
    internal: fc.constantFrom(false, false, false, false, false, false, false, true),
    arguments: fc.constantFrom<PlainTable>(
      {},
      {},
      {},
      { 'alternate-exchange': 'x2' },
      { 'alternate-exchange': 'amq.fanout' },
    ),
  }),
  fc.record({
    do: fc.constantFrom('bind' as const, 'bind' as const, 'bind' as const, 'unbind' as const),
    on: channel,
    exchange: fc.constantFrom('x1', 'x1', 'x2', 'amq.fanout'),
    to: fc.oneof(
      queueOrLast.map((name) => ({ queue: name })),
      queueOrLast.map((name) => ({ queue: name })),
      exchange.map((name) => ({ exchange: name })),
    ),
    key,
    arguments: fc.constantFrom<PlainTable>(
      {},
      {},
      { 'x-match': 'any', zebra: 'text', apple: 1 },
      { 'x-match': 'all', zebra: 'text' },
      { 'x-match': 'all-with-x', 'x-custom': 1 },
      { 'x-match': 'any-with-x', 'x-custom': 'text', zebra: true },
      { 'x-match': 'all', zebra: null, apple: 'text' },
      { 'x-match': 'any', zebra: typed({ type: 'l', value: 1n }), apple: 1.5 },
      { 'x-match': 'any' },
      { zebra: ['a', 2] },
      { 'x-match': 'some' },
      { 'x-match': 1 },
    ),
  }),
  fc.record({ do: fc.constant('cancel' as const), on: channel, tag }),
  fc.record({ do: fc.constant('purge-queue' as const), on: channel, queue: queueOrLast }),
  fc.record({
    do: fc.constant('delete-queue' as const),
    on: channel,
    queue: queueOrLast,
    ifUnused: seldom,
    ifEmpty: seldom,
  }),
  fc.record({ do: fc.constant('delete-exchange' as const), on: channel, exchange, ifUnused: fc.boolean() }),
  fc.record({ do: fc.constant('recover' as const), on: channel }),
  fc.record({
    do: fc.constant('qos' as const),
    on: channel,
    count: fc.constantFrom(0, 1, 2, 3),
    global: seldom,
  }),
  fc.record({ do: fc.constant('close-channel' as const), on: channel }),
  fc.record({
    do: fc.constant('declare-queue' as const),
    on: channel,
    queue,
    durable: fc.constant(true),
    exclusive: fc.constant(false),
    autoDelete: fc.constant(false),
    passive: fc.constant(true),
    arguments: fc.constant<PlainTable>({}),
  }),
)

export const get: fc.Arbitrary<Of<'get'>> = fc.record({
  do: fc.constant('get' as const),
  on: channel,
  queue: queueOrLast,
  noAck: seldom,
})

const policyName = fc.constantFrom('p1', 'p2')

/** What a policy can say, and some of what it cannot. */
export const policy: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('set-policy' as const),
      policy: policyName,
      pattern: fc.constantFrom('q1', 'q2', 'q.', '.*', 'x1', 'x.'),
      definition: fc.constantFrom<Of<'set-policy'>['definition']>(
        { 'message-ttl': shortTtlMs },
        { 'max-length': 1 },
        { 'max-length': 2, overflow: 'reject-publish' },
        { 'max-length-bytes': 20 },
        { 'dead-letter-exchange': '', 'dead-letter-routing-key': 'q2' },
        { 'dead-letter-exchange': 'x1' },
        { 'delivery-limit': 1 },
        { 'delivery-limit': -1 },
        { 'alternate-exchange': 'amq.fanout' },
        { 'alternate-exchange': 'x2', 'max-length': 2 },
        { 'message-ttl': 'soon' },
        { 'no-such-key': 1 },
        { overflow: 'drop-head' },
      ),
      priority: fc.constantFrom(0, 0, 1, 2),
      applyTo: fc.constantFrom('all', 'all', 'queues', 'queues', 'exchanges', 'quorum_queues'),
      isOperators: fc.constant(false),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('set-policy' as const),
      policy: policyName,
      pattern: fc.constantFrom('q1', 'q2', 'q.'),
      definition: fc.constantFrom<Of<'set-policy'>['definition']>(
        { 'max-length': 1 },
        { 'max-length': 2 },
        { 'message-ttl': shortTtlMs },
        { 'max-length-bytes': 20 },
        { 'delivery-limit': 1 },
        { 'dead-letter-exchange': 'x1' },
      ),
      priority: fc.constantFrom(0, 1),
      applyTo: fc.constantFrom('queues', 'queues', 'all'),
      isOperators: fc.constant(true),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('clear-policy' as const),
      policy: policyName,
      isOperators: fc.constantFrom(false, false, true),
    }),
  },
)

/** Leaves out what was not chosen. */
export function clean<Table extends object>(table: Table): PlainTable & Chosen<Table> {
  return Object.fromEntries(Object.entries(table).filter(([, value]) => value !== undefined)) as PlainTable &
    Chosen<Table>
}

type Chosen<Table> = { [Key in keyof Table]?: Exclude<Table[Key], undefined> }
