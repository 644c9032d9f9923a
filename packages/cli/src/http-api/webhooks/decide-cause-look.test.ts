import { describe, expect, it } from 'vitest'
import { decideCauseLook } from './decide-cause-look.ts'

describe('a queue that is watched for new causes', () => {
  const known = { messages: 100, endedAtMs: 1_000, tookMs: 50 }

  it.each([
    ['was never looked at', undefined, { messages: 0, nowMs: 0 }, 'look'],
    ['has no more than before', known, { messages: 100, nowMs: 9_000 }, 'nothing-new'],
    ['has fewer than before', known, { messages: 3, nowMs: 9_000 }, 'nothing-new'],
    ['has more, right after a look', known, { messages: 101, nowMs: 1_999 }, 'later'],
    ['has more, and the look is long over', known, { messages: 101, nowMs: 2_000 }, 'look'],
  ])('and %s: %s', (_, before, now, decision) => {
    expect(decideCauseLook(before, now)).toBe(decision)
  })
})
