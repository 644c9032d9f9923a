import fc from 'fast-check'
import { expect, it } from 'vitest'
import { both, countMarks, createMarks, either, invert } from './marks.ts'

/** As filters make them, and as anybody else might. */
const twoLists = fc
  .array(fc.tuple(fc.boolean(), fc.boolean()), { maxLength: 23 })
  .chain((pairs) => fc.tuple(fc.constant(pairs), fc.boolean(), fc.boolean()))

function marksOf(values: readonly boolean[], isPadded: boolean): Uint8Array {
  const marks = isPadded ? createMarks(values.length) : new Uint8Array(values.length)
  marks.set(values.map(Number))
  return marks
}

it('marks are combined and counted one by one, however they were made', () => {
  fc.assert(
    fc.property(twoLists, ([pairs, isPadded, isOtherPadded]) => {
      const [left, right] = [pairs.map(([one]) => one), pairs.map(([, other]) => other)]
      const make = () => [marksOf(left, isPadded), marksOf(right, isOtherPadded)] as const

      expect([...both(...make())]).toEqual(left.map((one, at) => Number(one && right[at])))
      expect([...either(...make())]).toEqual(left.map((one, at) => Number(one || right[at])))
      expect([...invert(make()[0])]).toEqual(left.map((one) => Number(!one)))
      expect(countMarks(make()[0])).toBe(left.filter(Boolean).length)
      expect(countMarks(invert(make()[0]))).toBe(left.filter((one) => !one).length)
    }),
  )
})
