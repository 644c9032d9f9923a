import fc from 'fast-check'
import { expect, it } from 'vitest'
import { listMarks } from '../../../../../test/support/arbitrary/marks.ts'
import { TimeRanges } from './time-ranges.ts'

const tests = {
  '<': (time: number, limit: number) => time < limit,
  '<=': (time: number, limit: number) => time <= limit,
  '>': (time: number, limit: number) => time > limit,
  '>=': (time: number, limit: number) => time >= limit,
} as const

/** Nearly in order, as they die; all at once; or anyhow. Some have no time. */
const anyTimes = fc
  .record({
    length: fc.constantFrom(0, 1, 1_023, 1_024, 1_025, 5_000),
    disorder: fc.constantFrom(0, 10, 100_000),
    pace: fc.constantFrom(0, 1),
    undated: fc.constantFrom(0, 0.001, 1),
    seed: fc.integer(),
  })
  .map(({ length, disorder, pace, undated, seed }) => {
    let state = seed
    const chance = (): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
      return (state >>> 8) / 2 ** 24
    }
    return Float64Array.from({ length }, (_, at) =>
      chance() < undated ? Number.NaN : pace * at + Math.floor(disorder * chance()),
    )
  })

it('marks what a pass over all times would mark', () => {
  const operator = fc.constantFrom('<', '<=', '>', '>=')
  const limit = fc.oneof(
    fc.constantFrom(Number.NEGATIVE_INFINITY, -1, 0, 1_024, 4_999.5, Number.POSITIVE_INFINITY),
    fc.integer({ min: 0, max: 105_000 }),
  )
  fc.assert(
    fc.property(anyTimes, operator, limit, (times, wanted, moment) => {
      const ranges = new TimeRanges()
      // Some were there when another filter was asked.
      ranges.growTo(times.subarray(0, times.length / 2))
      ranges.growTo(times)

      const marks = ranges.mark(times, { operator: wanted, limit: moment })

      expect(listMarks(marks)).toEqual(Array.from(times, (time) => tests[wanted](time, moment)))
    }),
    { numRuns: 300 },
  )
})
