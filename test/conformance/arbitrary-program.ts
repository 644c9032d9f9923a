import fc from 'fast-check'
import type { PlainTable } from '../../src/wire/plain-fields.ts'
import { typed } from '../../src/wire/plain-fields.ts'
import { channelNames, type Operation, type Program } from './program.ts'

const channel = fc.constantFrom(...channelNames)
const queue = fc.constantFrom('q1', 'q2', 'q3')
const exchange = fc.constantFrom('x1', 'x2')
const exchangeOrDefault = fc.constantFrom('', '', '', 'x1', 'x2', 'amq.fanout')
const key = fc.constantFrom('a', 'a.b', 'a.b.c', '', '#', 'a.*', '*.b', 'q1', 'q2')
const tag = fc.constantFrom('t1', 't2', 't3')
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
    'x-queue-mode': argument(['default', 'eager']),
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

const declareClassic = fc.record({
  do: fc.constant('declare-queue' as const),
  on: channel,
  queue,
  durable: often,
  exclusive: seldom,
  autoDelete: seldom,
  passive: fc.constant(false),
  arguments: classicArguments,
})

const declareQuorum = fc.record({
  do: fc.constant('declare-queue' as const),
  on: channel,
  queue,
  durable: fc.constantFrom(true, true, true, true, true, true, true, false),
  exclusive: fc.constantFrom(false, false, false, false, false, false, false, true),
  autoDelete: fc.constantFrom(false, false, false, false, false, false, false, true),
  passive: fc.constant(false),
  arguments: quorumArguments,
})

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

const publish = fc.record({
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
      messageId: fc.constantFrom(undefined, 'm-1'),
      type: fc.constantFrom(undefined, undefined, 'order'),
      timestamp: fc.constantFrom(undefined, undefined, 1_700_000_000),
    })
    .map(clean),
})

const settle = fc.record({
  do: fc.constant('settle' as const),
  on: channel,
  how: fc.constantFrom('ack' as const, 'nack' as const, 'reject' as const),
  which: fc.nat({ max: 5 }),
  multiple: seldom,
  requeue: fc.boolean(),
})

const consume = fc.record({
  do: fc.constant('consume' as const),
  on: channel,
  queue,
  tag,
  noAck: seldom,
  exclusive: seldom,
  arguments: fc.constantFrom<PlainTable>({}, {}, {}, {}, { 'x-priority': 5 }, { 'x-priority': -1 }),
})

const other: fc.Arbitrary<Operation> = fc.oneof(
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
      queue.map((name) => ({ queue: name })),
      queue.map((name) => ({ queue: name })),
      exchange.map((name) => ({ exchange: name })),
    ),
    key,
    arguments: fc.constantFrom<PlainTable>(
      {},
      {},
      { 'x-match': 'any', zebra: 'text', apple: 1 },
      { 'x-match': 'all', zebra: 'text' },
      { 'x-match': 'all-with-x', 'x-custom': 1 },
      { 'x-match': 'some' },
    ),
  }),
  fc.record({ do: fc.constant('cancel' as const), on: channel, tag }),
  fc.record({ do: fc.constant('purge-queue' as const), on: channel, queue }),
  fc.record({
    do: fc.constant('delete-queue' as const),
    on: channel,
    queue,
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

const get = fc.record({ do: fc.constant('get' as const), on: channel, queue, noAck: seldom })

/**
 * A wait lets everything expire that was published before it, and never falls near the end of a chain of
 * expiries: two waits end at 3300 and 6600 ms, chains at multiples of 2000 after a publish.
 */
const wait = fc.record({ do: fc.constant('wait' as const), ms: fc.constant(3300) })

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 8, arbitrary: publish as fc.Arbitrary<Operation> },
  { weight: 5, arbitrary: settle },
  { weight: 3, arbitrary: consume },
  { weight: 3, arbitrary: get },
  { weight: 4, arbitrary: other },
  { weight: 1, arbitrary: declareClassic as fc.Arbitrary<Operation> },
  { weight: 1, arbitrary: declareQuorum as fc.Arbitrary<Operation> },
)

const declare = fc.oneof(declareClassic, declareQuorum) as fc.Arbitrary<Operation>

/** First queues, then anything. */
const wideProgram = fc
  .record({
    declares: fc.array(declare, { minLength: 2, maxLength: 4 }),
    body: fc.array(operation, { minLength: 4, maxLength: 22, size: 'max' }),
  })
  .map(({ declares, body }): Program => [...declares, ...body])

const deepArguments = (target: string): fc.Arbitrary<PlainTable> =>
  fc
    .record({
      'x-queue-type': fc.constantFrom(undefined, 'quorum', 'quorum'),
      'x-message-ttl': fc.constantFrom(undefined, undefined, undefined, shortTtlMs),
      'x-max-length': fc.constantFrom(undefined, undefined, undefined, undefined, 2, 3),
      'x-overflow': fc.constantFrom(undefined, undefined, 'reject-publish'),
      'x-delivery-limit': fc.constantFrom(undefined, undefined, 1, 2, -1),
      'x-dead-letter-exchange': fc.constantFrom('', '', '', 'x1'),
      'x-dead-letter-routing-key': fc.constantFrom(target, target, target, undefined),
      'x-dead-letter-strategy': fc.constantFrom(undefined, undefined, 'at-least-once'),
      'x-single-active-consumer': fc.constantFrom(undefined, undefined, undefined, true),
    })
    .map((args) => clean(onlyWhatFits(args)))

/** A classic queue refuses what only a quorum queue knows. */
function onlyWhatFits(args: PlainTable): PlainTable {
  if (args['x-queue-type'] === 'quorum') return args
  return { ...args, 'x-delivery-limit': undefined, 'x-dead-letter-strategy': undefined }
}

const deepOperation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 7,
    arbitrary: publish.map((op) => ({ ...op, exchange: '', key: 'q1' })) as fc.Arbitrary<Operation>,
  },
  { weight: 9, arbitrary: settle.map((op) => ({ ...op, on: 'a1' as const })) },
  {
    weight: 2,
    arbitrary: consume.map((op) => ({ ...op, on: 'a1' as const, queue: 'q1', exclusive: false })),
  },
  {
    weight: 1,
    arbitrary: consume.map((op) => ({ ...op, on: 'b1' as const, queue: 'q1', exclusive: false })),
  },
  { weight: 2, arbitrary: get.map((op) => ({ ...op, queue: 'q2' })) },
  { weight: 1, arbitrary: get.map((op) => ({ ...op, queue: 'q1' })) },
  { weight: 1, arbitrary: settle },
  { weight: 1, arbitrary: fc.constant({ do: 'recover', on: 'a1' } as const) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('a1' as const, 'b1' as const)
      .map((on) => ({ do: 'close-channel' as const, on })),
  },
  { weight: 1, arbitrary: tag.map((name) => ({ do: 'cancel' as const, on: 'a1' as const, tag: name })) },
  {
    weight: 1,
    arbitrary: queue.map((name) => ({ do: 'purge-queue' as const, on: 'a2' as const, queue: name })),
  },
)

/** Two queues whose dead letters go to each other or on, one consumer that makes everything of its deliveries. */
const deepProgram = fc
  .record({
    work: deepArguments('q2'),
    dead: fc.oneof(fc.constant<PlainTable>({}), deepArguments('q1'), deepArguments('q3')),
    prefetch: fc.constantFrom(0, 1, 2, 3),
    body: fc.array(deepOperation, { minLength: 8, maxLength: 30, size: 'max' }),
  })
  .map(({ work, dead, prefetch, body }): Program => {
    const declareWith = (name: string, args: PlainTable): Operation => ({
      do: 'declare-queue',
      on: 'a2',
      queue: name,
      durable: true,
      exclusive: false,
      autoDelete: false,
      passive: false,
      arguments: args,
    })
    return [
      declareWith('q1', work),
      declareWith('q2', dead),
      declareWith('q3', {}),
      { do: 'qos', on: 'a1', count: prefetch, global: false },
      { do: 'consume', on: 'a1', queue: 'q1', tag: 't1', noAck: false, exclusive: false, arguments: {} },
      ...body,
    ]
  })

/** A program of either kind, with at most two waits. */
export const arbitraryProgram: fc.Arbitrary<Program> = fc
  .record({
    program: fc.oneof(wideProgram, deepProgram),
    waits: fc.oneof(
      { weight: 5, arbitrary: fc.constant<readonly number[]>([]) },
      { weight: 2, arbitrary: fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 2 }) },
    ),
    pause: wait,
  })
  .map(({ program, waits, pause }) => {
    const paused: Operation[] = [...program]
    for (const at of waits) paused.splice(Math.min(at + 4, paused.length), 0, pause)
    return avoidKnownFaults(paused)
  })

/**
 * Faults of RabbitMQ around the priorities of consumers that are not modelled: a quorum queue of 4.3.6 stands
 * still when its single active consumer ends while one of higher priority waits; one of 3.10.8 remembers the
 * place, and so the old priority, of a consumer that was cancelled and comes back.
 */
function avoidKnownFaults(program: Program): Program {
  const isAtRisk = program.some(
    (op) => op.do === 'cancel' || (op.do === 'declare-queue' && op.arguments['x-single-active-consumer']),
  )
  return isAtRisk ? program.map((op) => (op.do === 'consume' ? { ...op, arguments: {} } : op)) : program
}

function clean<Table extends object>(table: Table): PlainTable & Table {
  return Object.fromEntries(Object.entries(table).filter(([, value]) => value !== undefined)) as PlainTable &
    Table
}
