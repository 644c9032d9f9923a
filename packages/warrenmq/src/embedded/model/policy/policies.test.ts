import { describe, expect, test } from 'vitest'
import { createModelBench } from '../../../../../../test/conformance/model-bench.ts'
import { toFieldTable } from '../../../wire/plain-fields.ts'
import { profiles } from '../profiles/profiles.ts'
import { resolveSettings } from '../queue/queue-settings.ts'
import { applyPolicies } from '../vhost.ts'
import type { Policy, PolicyDefinition } from './policies.ts'
import { findPolicyProblem } from './policy-problem.ts'

function policy(definition: PolicyDefinition, more: Partial<Policy> = {}): Policy {
  return { name: 'p', pattern: '.*', definition, priority: 0, applyTo: 'all', ...more }
}

describe('an argument and a policy for the same thing', () => {
  const cases = [
    ['the lower TTL holds', 'quorum', { 'x-message-ttl': 50 }, { 'message-ttl': 20 }, { messageTtlMs: 20 }],
    [
      'the argument names the dead-letter exchange',
      'quorum',
      { 'x-dead-letter-exchange': 'a' },
      { 'dead-letter-exchange': 'b' },
      { deadLetterExchange: 'a' },
    ],
    [
      'the policy decides the overflow of a quorum queue',
      'quorum',
      { 'x-overflow': 'reject-publish' },
      { overflow: 'drop-head' },
      { overflow: 'drop-head' },
    ],
    [
      'the argument decides the overflow of a classic queue',
      'classic',
      { 'x-overflow': 'reject-publish' },
      { overflow: 'drop-head' },
      { overflow: 'reject-publish' },
    ],
    [
      'a limit of -1 cannot lift an argument',
      'quorum',
      { 'x-delivery-limit': 3 },
      { 'delivery-limit': -1 },
      { deliveryLimit: 3 },
    ],
    ['a limit of -1 lifts the default', 'quorum', {}, { 'delivery-limit': -1 }, { deliveryLimit: undefined }],
  ] as const

  test.each(cases)('%s', (_, kind, args, definition, wanted) => {
    const settings = resolveSettings(
      { kind, arguments: toFieldTable(args) },
      definition,
      profiles['4.3'].settings,
    )

    expect(settings).toMatchObject(wanted)
  })
})

test('a policy that arrives later holds at once, and the operator may only narrow it', () => {
  const bench = createModelBench('4.3')
  const queue = bench.declare('work')
  const client = bench.open()
  for (const body of '1234') client.publish('work', body)
  const { vhost } = bench.actor
  vhost.policies.set('p', policy({ 'max-length': 3 }))
  vhost.operatorPolicies.set('o', policy({ 'max-length': 2 }, { name: 'o' }))

  applyPolicies(vhost, profiles['4.3'])

  expect(queue.policy()).toEqual({ policy: 'p', operatorPolicy: 'o', definition: { 'max-length': 2 } })
  expect(bench.bodies('work')).toEqual(['3', '4'])
})

test('only the policy of highest priority applies, and none with a key that the queue does not know', () => {
  const bench = createModelBench('4.3')
  const queue = bench.declare('work')
  const { vhost } = bench.actor
  vhost.policies.set('low', policy({ 'max-length': 3 }, { name: 'low' }))
  vhost.policies.set('high', policy({ 'delivery-limit': 3 }, { name: 'high', priority: 9 }))

  applyPolicies(vhost, profiles['4.3'])

  expect(queue.policy().policy).toBe('low')
})

describe('a policy that RabbitMQ refuses', () => {
  const cases = [
    ['3.10', policy({ 'delivery-limit': -1 }), '-1 is not a valid delivery limit'],
    ['4.0', policy({ 'delivery-limit': -1 }), undefined],
    ['4.0', policy({ 'message-ttl': -1 }), '-1 is not a valid message TTL'],
    ['4.0', policy({ overflow: 'never' }), '<<"never">> is not a valid overflow value'],
    ['4.0', policy({ odd: 1 }), '[{<<"odd">>,1}] are not recognised policy settings'],
    ['3.10', policy({ expires: 1 }, { applyTo: 'quorum_queues' }), "apply-to 'quorum_queues' unrecognised"],
  ] as const

  test.each(cases)('on %s, %j: %s', (name, refused, words) => {
    const problem = findPolicyProblem(refused, { profile: profiles[name], isOperator: false })

    if (words === undefined) expect(problem).toBeUndefined()
    else expect(problem).toContain(words)
  })
})
