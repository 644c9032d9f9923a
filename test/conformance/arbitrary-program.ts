import fc from 'fast-check'
import type { ProfileName } from '../../packages/warrenmq/src/embedded/model/profile.ts'
import type { PlainTable } from '../../packages/warrenmq/src/wire/plain-fields.ts'
import {
  channel,
  clean,
  consume,
  declareClassic,
  declareNameless,
  declareQuorum,
  get,
  other,
  policy,
  publish,
  queue,
  settle,
  shortTtlMs,
  tag,
} from './arbitrary-operation.ts'
import { type Operation, type Program, plainChannel } from './program.ts'

/**
 * A wait lets everything expire that was published before it, and never falls near the end of a chain of
 * expiries: two waits end at 3300 and 6600 ms, chains at multiples of 2000 after a publish.
 */
const wait = fc.record({ do: fc.constant('wait' as const), ms: fc.constant(3300) })

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 8, arbitrary: publish },
  { weight: 5, arbitrary: settle },
  { weight: 3, arbitrary: consume },
  { weight: 3, arbitrary: get },
  { weight: 4, arbitrary: other },
  { weight: 1, arbitrary: policy },
  { weight: 1, arbitrary: declareClassic },
  { weight: 1, arbitrary: declareQuorum },
  { weight: 1, arbitrary: declareNameless },
)

const declare = fc.oneof(declareClassic, declareQuorum)

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
    arbitrary: publish.map((op) => ({ ...op, exchange: '', key: 'q1' })),
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

/** One channel that does everything in transactions, beside another that does not. */
const transactedProgram = fc
  .record({
    declares: fc.array(declare, { minLength: 2, maxLength: 3 }),
    body: fc.array(
      fc.oneof(
        { weight: 6, arbitrary: publish.map((op) => ({ ...op, on: plainChannel })) },
        { weight: 3, arbitrary: consume.map((op) => ({ ...op, on: plainChannel, exclusive: false })) },
        { weight: 3, arbitrary: get.map((op) => ({ ...op, on: plainChannel })) },
        { weight: 5, arbitrary: settle.map((op) => ({ ...op, on: plainChannel })) },
        {
          weight: 5,
          arbitrary: fc
            .constantFrom('commit' as const, 'commit' as const, 'rollback' as const, 'select' as const)
            .map((step) => ({ do: 'tx' as const, on: plainChannel, step })),
        },
        { weight: 2, arbitrary: publish },
        { weight: 2, arbitrary: get },
        { weight: 1, arbitrary: other },
      ),
      { minLength: 6, maxLength: 22, size: 'max' },
    ),
  })
  .map(
    ({ declares, body }): Program => [...declares, { do: 'tx', on: plainChannel, step: 'select' }, ...body],
  )

const toStream = { queue: 's1', exclusive: false, noAck: false }
const streamOffset = fc.constantFrom<PlainTable>(
  {},
  { 'x-stream-offset': 'first' },
  { 'x-stream-offset': 'next' },
  { 'x-stream-offset': 'last' },
  { 'x-stream-offset': 0 },
  { 'x-stream-offset': 2 },
  { 'x-stream-offset': 'never' },
  { 'x-stream-offset': true },
)

/** A stream, its readers, and what a stream refuses. */
const streamProgram = fc
  .record({
    arguments: fc.constantFrom<PlainTable>(
      { 'x-queue-type': 'stream' },
      { 'x-queue-type': 'stream' },
      { 'x-queue-type': 'stream', 'x-max-age': '1D' },
      { 'x-queue-type': 'stream', 'x-max-length-bytes': 1_000_000 },
      { 'x-queue-type': 'stream', 'x-max-age': 'soon' },
      { 'x-queue-type': 'stream', 'x-dead-letter-exchange': '' },
    ),
    body: fc.array(
      fc.oneof(
        { weight: 8, arbitrary: publish.map((op) => ({ ...op, exchange: '', key: 's1' })) },
        {
          weight: 4,
          arbitrary: fc
            .record({ op: consume, args: streamOffset, noAck: fc.constantFrom(false, false, false, true) })
            .map(({ op, args, noAck }) => ({ ...op, ...toStream, noAck, arguments: args })),
        },
        { weight: 5, arbitrary: settle },
        {
          weight: 1,
          arbitrary: fc
            .record({ on: channel, count: fc.constantFrom(0, 1, 5) })
            .map((op) => ({ do: 'qos' as const, ...op, global: false })),
        },
        { weight: 1, arbitrary: get.map((op) => ({ ...op, queue: 's1' })) },
        {
          weight: 1,
          arbitrary: channel.map((on) => ({ do: 'purge-queue' as const, on, queue: 's1' })),
        },
        {
          weight: 1,
          arbitrary: fc.record({ on: channel, tag }).map((op) => ({ do: 'cancel' as const, ...op })),
        },
        { weight: 1, arbitrary: channel.map((on) => ({ do: 'close-channel' as const, on })) },
      ),
      { minLength: 6, maxLength: 18, size: 'max' },
    ),
  })
  .map(
    ({ arguments: args, body }): Program => [
      {
        do: 'declare-queue',
        on: 'a2',
        queue: 's1',
        durable: true,
        exclusive: false,
        autoDelete: false,
        passive: false,
        arguments: args,
      },
      { do: 'qos', on: 'a1', count: 2, global: false },
      { do: 'qos', on: 'b1', count: 1, global: false },
      ...body,
    ],
  )

/** A program of any kind, with at most two waits, and nothing in it that this version is refused for. */
export function arbitraryProgram(profile: ProfileName): fc.Arbitrary<Program> {
  return anyProgram.map((program) => avoidUnmodelled(program, profile))
}

const anyProgram: fc.Arbitrary<Program> = fc
  .record({
    program: fc.oneof(
      { weight: 8, arbitrary: wideProgram },
      { weight: 8, arbitrary: deepProgram },
      { weight: 3, arbitrary: transactedProgram },
      { weight: 1, arbitrary: streamProgram },
    ),
    waits: fc.oneof(
      { weight: 5, arbitrary: fc.constant<readonly number[]>([]) },
      { weight: 2, arbitrary: fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 2 }) },
    ),
    pause: wait,
  })
  .map(({ program, waits, pause }) => {
    const paused: Operation[] = [...program]
    for (const at of waits) paused.splice(Math.min(at + 4, paused.length), 0, pause)
    return paused
  })

/**
 * Faults that the embedded broker refuses with 540: a consumer of a quorum queue of 3.10 that comes back under its tag,
 * and priorities of consumers where only one of them is active on 4.0 and 4.3.
 */
function avoidUnmodelled(program: Program, profile: ProfileName): Program {
  if (profile === '3.10') return renameReturning(program)
  const isAtRisk = program.some((op) => op.do === 'declare-queue' && op.arguments['x-single-active-consumer'])
  return isAtRisk ? program.map((op) => (op.do === 'consume' ? { ...op, arguments: {} } : op)) : program
}

/** After a cancel nobody uses its tag again. */
function renameReturning(program: Program): Program {
  let cancels = 0
  return program.map((op) => {
    if (op.do === 'cancel') cancels += 1
    return op.do === 'consume' && op.tag !== '' && cancels > 0 ? { ...op, tag: `${op.tag}.${cancels}` } : op
  })
}
