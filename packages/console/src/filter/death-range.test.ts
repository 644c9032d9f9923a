import { expect, it } from 'vitest'
import { rangeOf, termsOfRange } from './death-range.ts'

it('a stretch of time is found again in the filter that it was written into', () => {
  const range = { fromMs: Date.UTC(2026, 0, 31, 12), toMs: Date.UTC(2026, 0, 31, 12, 5) }

  expect(rangeOf(['type:A', ...termsOfRange(range)].join(' and '))).toEqual(range)
  expect(rangeOf('died<2h and type:A')).toBeUndefined()
  expect(rangeOf(undefined)).toBeUndefined()
})
