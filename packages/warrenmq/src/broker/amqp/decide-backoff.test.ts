import { expect, it } from 'vitest'
import { decideBackoff } from './decide-backoff.ts'

const policy = { initialMs: 100, maxMs: 30_000 }

it.each([
  [0, false, 0, 0],
  [0, false, 0.5, 50],
  [0, false, 0.999, 100],
  [1, false, 0, 100],
  [2, false, 0, 200],
  [3, false, 0.5, 300],
  [1, false, 0.999, 50],
  [20, false, 0, 30_000],
  [5_000, false, 0, 30_000],
  [1, true, 0, 30_000],
  [1, true, 0.999, 15_015],
])('after %i failures (final: %s) at random %f it pauses %i ms', (failures, isFinal, random, pauseMs) => {
  expect(decideBackoff({ failures, isFinal, policy, random })).toBe(pauseMs)
})
