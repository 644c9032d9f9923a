import { describe, expect, test } from 'vitest'
import { createModelBench } from '../../../../../../test/conformance/model-bench.ts'
import type { PlainTable } from '../../../wire/plain-fields.ts'
import type { ProfileName } from '../profile.ts'

const quorum = { 'x-queue-type': 'quorum' }

describe('a declaration with arguments that RabbitMQ refuses', () => {
  const cases: readonly (readonly [PlainTable, string])[] = [
    [{ 'x-message-ttl': -1 }, "invalid arg 'x-message-ttl' for queue 'q' in vhost '/': {value_negative,-1}"],
    [
      { 'x-message-ttl': 'soon' },
      `invalid arg 'x-message-ttl' for queue 'q' in vhost '/': "expected integer, got longstr"`,
    ],
    [{ 'x-expires': 0 }, "invalid arg 'x-expires' for queue 'q' in vhost '/': {value_zero,0}"],
    [
      { 'x-dead-letter-routing-key': 'k' },
      "invalid arg 'x-dead-letter-routing-key' for queue 'q' in vhost '/': routing_key_but_no_dlx_defined",
    ],
    [{ 'x-overflow': 'never' }, "invalid arg 'x-overflow' for queue 'q' in vhost '/': invalid_overflow"],
    [
      { 'x-queue-type': 'odd' },
      `invalid arg 'x-queue-type' for queue 'q' in vhost '/': "unsupported queue type 'odd'"`,
    ],
    [
      { 'x-delivery-limit': 3 },
      "invalid arg 'x-delivery-limit' for queue 'q' in vhost '/' of queue type rabbit_classic_queue",
    ],
    [
      { ...quorum, 'x-max-priority': 3 },
      "invalid arg 'x-max-priority' for queue 'q' in vhost '/' of queue type rabbit_quorum_queue",
    ],
    [
      { ...quorum, 'x-dead-letter-strategy': 'perhaps' },
      "invalid arg 'x-dead-letter-strategy' for queue 'q' in vhost '/': invalid_dlx_strategy",
    ],
  ]

  test.each(cases)('%j is told why', (args, words) => {
    const bench = createModelBench('4.0')

    expect(() => bench.declare('q', args)).toThrow(words)
    expect(bench.actor.vhost.queues.has('q')).toBe(false)
  })
})

describe('a queue that is declared again', () => {
  const cases: readonly (readonly [PlainTable, PlainTable, string | undefined])[] = [
    [{ 'x-message-ttl': 60_000 }, { 'x-message-ttl': 60_000 }, undefined],
    [
      { 'x-message-ttl': 60_000 },
      { 'x-message-ttl': 30_000 },
      "inequivalent arg 'x-message-ttl' for queue 'q' in vhost '/': received '30000' but current is '60000'",
    ],
    [
      {},
      { 'x-message-ttl': 30_000 },
      "inequivalent arg 'x-message-ttl' for queue 'q' in vhost '/': received the value '30000' of type 'signedint' but current is none",
    ],
    [{}, { 'x-queue-type': 'classic' }, undefined],
    [{ 'x-foo': 1 }, { 'x-foo': 2 }, undefined],
  ]

  test.each(cases)('first with %j, then with %j', (first, second, words) => {
    const bench = createModelBench('4.0')
    const declared = bench.declare('q', first)

    if (words === undefined) expect(bench.declare('q', second)).toBe(declared)
    else expect(() => bench.declare('q', second)).toThrow(words)
  })
})

test.each([
  ['3.10', []],
  ['4.0', ['x-queue-type']],
] as const)('on %s a queue without a type is stored with the arguments %j', (profile: ProfileName, names) => {
  const bench = createModelBench(profile)

  const queue = bench.declare('q')

  expect(queue.arguments.map(({ name }) => name)).toEqual(names)
})
