import { expect, it } from 'vitest'
import { nextSessionState, type SessionState, type SessionStep } from './session-state.ts'

const arrows: [SessionState, SessionStep, SessionState][] = [
  ['connecting', 'opened', 'connected'],
  ['connecting', 'failed', 'waiting'],
  ['connected', 'lost', 'waiting'],
  ['waiting', 'retry-due', 'connecting'],
  ['connecting', 'close', 'closed'],
  ['connected', 'close', 'closed'],
  ['waiting', 'close', 'closed'],
  ['closed', 'opened', 'closed'],
  ['closed', 'failed', 'closed'],
  ['closed', 'retry-due', 'closed'],
  ['closed', 'lost', 'closed'],
]

it.each(arrows)('a session that is %s and then %s is %s', (state, step, next) => {
  expect(nextSessionState(state, step)).toBe(next)
})

it.each([
  ['connected', 'opened'],
  ['waiting', 'opened'],
  ['waiting', 'lost'],
  ['connecting', 'retry-due'],
] as const)('a session that is %s cannot take the step %s', (state, step) => {
  expect(() => nextSessionState(state, step)).toThrow(/cannot take the step/)
})
