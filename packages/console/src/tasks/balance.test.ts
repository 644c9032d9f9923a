import { expect, it } from 'vitest'
import { balanceOf, rateOf } from './balance.ts'

const progress = { present: 42, moved: 30, failed: 1, kept: 2 }

it('what was not looked at is still there, so that the sum is what was present', () => {
  expect(balanceOf({ progress })).toEqual({ ...progress, stillThere: 9 })
})

it('a rate is told after a second, and stays what it was when the task has ended', () => {
  const startedAt = '2030-01-31T18:00:00.000Z'
  const nowMs = Date.parse(startedAt) + 10_000

  expect(rateOf({ startedAt, endedAt: null, progress }, nowMs)).toBe(3)
  expect(rateOf({ startedAt, endedAt: null, progress }, nowMs - 9_500)).toBeUndefined()
  expect(rateOf({ startedAt, endedAt: '2030-01-31T18:00:05.000Z', progress }, nowMs)).toBe(6)
})
