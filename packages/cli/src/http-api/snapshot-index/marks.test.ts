import fc from 'fast-check'
import { expect, it } from 'vitest'
import { listMarks, marksOf } from '../../../../../test/support/arbitrary/marks.ts'
import {
  both,
  countMarks,
  createMarks,
  either,
  invert,
  isMarked,
  markAll,
  nextMarked,
  skipMarked,
} from './marks.ts'

const twoLists = fc.array(fc.tuple(fc.boolean(), fc.boolean()), { maxLength: 99 })

it('marks are combined and counted one by one', () => {
  fc.assert(
    fc.property(twoLists, (pairs) => {
      const [left, right] = [pairs.map(([one]) => one), pairs.map(([, other]) => other)]
      const make = () => [marksOf(left), marksOf(right)] as const

      expect(listMarks(both(...make()))).toEqual(left.map((one, at) => one && right[at]))
      expect(listMarks(either(...make()))).toEqual(left.map((one, at) => one || right[at]))
      expect(listMarks(invert(make()[0]))).toEqual(left.map((one) => !one))
      expect(countMarks(make()[0])).toBe(left.filter(Boolean).length)
      expect(countMarks(invert(make()[0]))).toBe(left.filter((one) => !one).length)
      expect(countMarks(markAll(make()[0]))).toBe(left.length)
    }),
  )
})

it('the next that is marked is found from anywhere, and behind any number of others', () => {
  const sparse = fc.array(
    fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
    { maxLength: 200 },
  )
  fc.assert(
    fc.property(fc.oneof(sparse, fc.array(fc.boolean(), { maxLength: 99 })), (values) => {
      const marks = marksOf(values)
      const marked = values.flatMap((value, at) => (value ? [at] : []))

      for (let from = 0; from <= values.length; from += 1)
        expect(nextMarked(marks, from)).toBe(marked.find((at) => at >= from) ?? values.length)
      for (let count = 0; count <= marked.length; count += 1)
        expect(skipMarked(marks, count)).toBe(marked[count] ?? values.length)
    }),
  )
})

it('behind the last message nothing is marked', () => {
  expect(isMarked(markAll(createMarks(33)), 33)).toBe(false)
  expect(countMarks(invert(createMarks(33)))).toBe(33)
  expect(countMarks(invert(createMarks(64)))).toBe(64)
})
