import { expect, it } from 'vitest'
import { isBarWithin, rangeOfBars } from './range-of-bars.ts'

const minute = 60_000
const start = Date.UTC(2026, 0, 31, 12)
const histogram = {
  bucketMs: minute,
  bars: [0, 1, 2, 3].map((index) => ({ from: new Date(start + index * minute).toISOString(), count: 1 })),
}

it('bars that were drawn over are a stretch of time, in either direction', () => {
  const range = { fromMs: start + minute, toMs: start + 3 * minute }

  expect(rangeOfBars(histogram, 1, 2)).toEqual(range)
  expect(rangeOfBars(histogram, 2, 1)).toEqual(range)
  expect([0, 1, 2, 3].map((index) => isBarWithin(histogram, index, range))).toEqual([
    false,
    true,
    true,
    false,
  ])
  expect(rangeOfBars(histogram, 7, 9)).toBeUndefined()
})
