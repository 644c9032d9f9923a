import { describe, expect, test } from 'vitest'
import { parseBrokerVersion } from '../../message/broker-version.ts'
import { encodeTable } from '../../wire/encode-table.ts'
import { toFieldTable } from '../../wire/plain-fields.ts'
import { decideLook, mayReturn, type OverLimit, type QueueFacts, returnDeletes } from './decide-look.ts'

const quorum: QueueFacts = {
  vhost: '/',
  queue: 'orders.dlq',
  type: 'quorum',
  reportedLimit: undefined,
  argumentLimit: undefined,
  policyLimit: undefined,
  standingPolicyLimit: undefined,
  policyDefinition: {},
  overLimit: 'deleted',
  isAutoDelete: false,
  isServedElsewhere: false,
  refusesWhenFull: false,
}
const free = { kind: 'free' }
const counted = (limit: number, overLimit: OverLimit = 'deleted') => ({
  kind: 'counted' as const,
  limit,
  overLimit,
})
const refused = (...words: string[]) => ({
  kind: 'refused',
  problem: expect.stringMatching(new RegExp(words.join('.*'), 's')),
})

function decide(facts: Partial<QueueFacts>, version: string, acceptsLimit?: boolean) {
  return decideLook({ facts: { ...quorum, ...facts }, version: parseBrokerVersion(version), acceptsLimit })
}

describe('what taking messages costs', () => {
  test.each<[string, Partial<QueueFacts>, string, unknown]>([
    ['a classic queue', { type: 'classic' }, '4.3', free],
    ['a quorum queue without a limit before 4.0', {}, '3.10', free],
    ['an unlimited one', { reportedLimit: 'unlimited' }, '4.3', free],
    ['-1 since 4.0', { argumentLimit: -1 }, '4.0', free],
    ['a quorum queue without a limit since 4.0', {}, '4.0', refused('limit of 20', 'default since 4.0')],
    ['a reported limit', { reportedLimit: 3, argumentLimit: -1 }, '4.3', refused('limit of 3')],
    [
      'an argument of -1 under a policy, which is what has to change',
      { argumentLimit: -1, policyLimit: 5, standingPolicyLimit: 5 },
      '4.3',
      refused('limit of 5 \\(a policy\\)', 'Lift the limit first: rabbitmqctl', '"delivery-limit":-1'),
    ],
    ['-1 before 4.0 drops at the first return', { argumentLimit: -1 }, '3.10', refused('limit of 0')],
    [
      'the lower one',
      { argumentLimit: 9, policyLimit: 5 },
      '3.10',
      refused('limit of 5', 'argument and a policy'),
    ],
    ['a policy that is not told yet', { standingPolicyLimit: 1 }, '3.10', refused('limit of 1', 'a policy')],
    [
      'a policy that is not told yet, since 4.0',
      { reportedLimit: 'unlimited', argumentLimit: -1, standingPolicyLimit: 4 },
      '4.3',
      refused('limit of 4'),
    ],
    [
      'a limit that is still told',
      { reportedLimit: 20, standingPolicyLimit: -1 },
      '4.3',
      refused('limit of 20'),
    ],
    ['a policy defeats -1', { argumentLimit: -1, policyLimit: 5 }, '4.0', refused('limit of 5')],
    ['an unknown queue', { type: undefined }, '3.10', refused('management API')],
    ['an auto-delete queue', { type: 'classic', isAutoDelete: true }, '4.3', refused('auto-delete')],
    [
      'one that serves another',
      { type: 'classic', isServedElsewhere: true },
      '4.3',
      refused('single active'),
    ],
    ['a stream', { type: 'stream' }, '4.3', refused('stream')],
    ['a limit with a queue behind it', { argumentLimit: 3, overLimit: 'kept' }, '4.3', counted(3, 'kept')],
  ])('%s', (_name, facts, version, expected) => {
    expect(decide(facts, version)).toEqual(expected)
  })

  test.each<[string, Partial<QueueFacts>, string, unknown]>([
    ['the default of 4.x', {}, '4.3', counted(20)],
    ['an argument', { argumentLimit: 3 }, '3.10', counted(3)],
    ['an unknown queue before 4.0', { type: undefined }, '3.10', free],
    ['an unknown queue since 4.0', { type: undefined }, '4.0', counted(20)],
    [
      'one that refuses when full',
      { argumentLimit: 3, refusesWhenFull: true },
      '4.3',
      refused('reject-publish'),
    ],
    [
      'one that refuses when full, with a queue behind it',
      { argumentLimit: 3, refusesWhenFull: true, overLimit: 'kept' },
      '4.3',
      counted(3, 'kept'),
    ],
    [
      'an auto-delete queue all the same',
      { type: 'classic', isAutoDelete: true },
      '3.10',
      refused('auto-delete'),
    ],
    ['a stream all the same', { type: 'stream' }, '4.3', refused('stream')],
  ])('where the limit was accepted: %s', (_name, facts, version, expected) => {
    expect(decide(facts, version, true)).toEqual(expected)
  })
})

describe('the way out that a refusal names', () => {
  const problem = (facts: Partial<QueueFacts>, version: string) => {
    const cost = decide(facts, version)
    return cost.kind === 'refused' ? cost.problem : cost.kind
  }

  test('a default is lifted by a policy, with the settings of the one that it displaces', () => {
    expect(problem({ policyDefinition: { 'max-length': 9 } }, '4.0')).toContain(
      `rabbitmqctl set_policy -p '/' --priority 1000 --apply-to queues 'warren orders.dlq' '^orders\\.dlq$' '{"max-length":9,"delivery-limit":-1}'`,
    )
  })

  test('an argument cannot be lifted, so what is over it is caught', () => {
    expect(problem({ argumentLimit: 3 }, '4.3')).toContain(
      '"dead-letter-routing-key":"orders.dlq.over-limit"',
    )
  })

  test('before 4.0 a policy must not set one', () => {
    expect(problem({ policyLimit: 3 }, '3.10')).toContain('Remove delivery-limit from the policy')
  })
})

describe('whether a message may be given back', () => {
  test.each([
    [undefined, '4.0', true],
    [17, '4.0', true],
    [18, '4.0', false],
    [20, '4.0', false],
    [21, '4.3', false],
  ])('a count of %s on %s with a limit of 20: %s', (count, text, expected) => {
    const headers = count === undefined ? undefined : encodeTable(toFieldTable({ 'x-delivery-count': count }))
    const version = parseBrokerVersion(text)
    expect(mayReturn({ headers, cost: counted(20), version })).toBe(expected)
  })

  test.each([
    [19, '4.0', 'deleted', false],
    [20, '4.0', 'deleted', true],
    [20, '4.3', 'deleted', true],
    [21, '4.3', 'deleted', true],
    [21, '4.3', 'kept', false],
  ] as const)(
    'with a count of %s on %s the next return deletes what is %s: %s',
    (count, text, over, expected) => {
      const headers = encodeTable(toFieldTable({ 'x-delivery-count': count }))
      const version = parseBrokerVersion(text)
      expect(returnDeletes({ headers, cost: counted(20, over), version })).toBe(expected)
    },
  )

  test('where nothing counts it always may', () => {
    const headers = encodeTable(toFieldTable({ 'x-delivery-count': 99 }))
    expect(mayReturn({ headers, cost: { kind: 'free' }, version: parseBrokerVersion('4.3') })).toBe(true)
  })
})
