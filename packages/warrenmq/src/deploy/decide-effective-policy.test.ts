import { describe, expect, it } from 'vitest'
import { brokerCapabilities } from '../message/broker-capabilities.ts'
import { parseBrokerVersion } from '../message/broker-version.ts'
import type { LivePolicy } from '../topology/live-topology.ts'
import { decideEffectivePolicy } from './decide-effective-policy.ts'

const policy = (name: string, fields: Partial<LivePolicy> = {}): LivePolicy => ({
  name,
  pattern: '.*',
  applyTo: 'queues',
  priority: 0,
  definition: {},
  isOperatorPolicy: false,
  ...fields,
})
const capabilities = brokerCapabilities(parseBrokerVersion('4.0'))
const decide = (policies: readonly LivePolicy[], named?: string) =>
  decideEffectivePolicy({ queue: 'orders.dlq', type: 'quorum', policy: named, policies, capabilities })

describe('the policy in force', () => {
  it('is none where the broker names none and no operator policy matches', () => {
    const policies = [
      policy('other', { definition: { expires: 1 } }),
      policy('op', { isOperatorPolicy: true, pattern: '^x' }),
    ]

    expect(decide(policies)).toEqual({ operatorPolicy: undefined, definition: undefined })
  })

  it('is the user policy that the broker names', () => {
    expect(decide([policy('p', { definition: { overflow: 'drop-head' } })], 'p').definition).toEqual({
      overflow: 'drop-head',
    })
  })

  it('takes the lower number of user and operator policy, and the operator policy for the rest', () => {
    const operator = {
      isOperatorPolicy: true,
      definition: { 'max-length': 5, 'message-ttl': 9, overflow: 'reject-publish' },
    }
    const user = { definition: { 'max-length': 7, 'message-ttl': 3, expires: 1 } }

    expect(decide([policy('p', user), policy('op', operator)], 'p')).toEqual({
      operatorPolicy: 'op',
      definition: { 'max-length': 5, 'message-ttl': 3, expires: 1, overflow: 'reject-publish' },
    })
  })

  it.each([
    ['all', true],
    ['queues', true],
    ['quorum_queues', true],
    ['classic_queues', false],
    ['streams', false],
    ['exchanges', false],
  ])('an operator policy for %s applies to a quorum queue: %s', (applyTo, isApplied) => {
    const operator = policy('op', { isOperatorPolicy: true, applyTo, definition: { expires: 1 } })

    expect(decide([operator]).operatorPolicy).toBe(isApplied ? 'op' : undefined)
  })

  it('only the operator policy of the highest priority applies', () => {
    const low = policy('low', { isOperatorPolicy: true, priority: 1, definition: { expires: 1 } })
    const high = policy('high', { isOperatorPolicy: true, priority: 2, definition: { 'max-length': 1 } })

    expect(decide([low, high])).toEqual({ operatorPolicy: 'high', definition: { 'max-length': 1 } })
  })

  it('a pattern that JavaScript cannot read is taken to match', () => {
    const operator = policy('op', {
      isOperatorPolicy: true,
      pattern: '(?i)orders(',
      definition: { expires: 1 },
    })

    expect(decide([operator]).operatorPolicy).toBe('op')
  })
})
