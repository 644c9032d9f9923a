import { expect, it } from 'vitest'
import type { Schemas } from '../api/api.ts'
import { sayAsked, whyNotGrant } from './say-asked.ts'

const waiting = { by: 'ann', state: 'waiting', isSigned: true } as Schemas['Approval']

it('what is asked for is one sentence', () => {
  expect(sayAsked({ asks: { action: 'redrive', request: { queue: 'a.dlq' } }, messages: 1 })).toBe(
    'Re-drive up to 1 message of a.dlq',
  )
  expect(sayAsked({ asks: { action: 'discard', queue: 'a.dlq', request: {} }, messages: 1_200 })).toBe(
    'Remove up to 1,200 messages of a.dlq',
  )
  expect(sayAsked({ asks: { action: 'apply', request: { plan: '' } }, messages: null })).toBe(
    'Change the topology',
  )
})

it('only a second person can grant, and only what waits and is signed', () => {
  expect(whyNotGrant(waiting, 'bob')).toBeUndefined()
  expect(whyNotGrant(waiting, 'ann')).toMatch(/second person/)
  expect(whyNotGrant({ ...waiting, state: 'expired' }, 'bob')).toBe('It was expired already.')
  expect(whyNotGrant({ ...waiting, isSigned: false }, 'bob')).toMatch(/prove/)
})
