import fc from 'fast-check'
import { expect, it } from 'vitest'
import { marksOf } from '../../../../../test/support/arbitrary/marks.ts'
import { firstMarked, orderMarked, pickRows } from './pick-rows.ts'

const anySelection = fc.array(fc.boolean(), { maxLength: 150 })
const anyRange = fc.record({ start: fc.nat(160), limit: fc.integer({ min: 1, max: 60 }) })

it('a page is the part of all that are marked that it should be', () => {
  fc.assert(
    fc.property(anySelection, anyRange, (selected, range) => {
      const all = selected.flatMap((value, at) => (value ? [at] : []))

      expect(pickRows(marksOf(selected), range)).toEqual(all.slice(range.start, range.start + range.limit))
    }),
  )
})

it('in an order, the first and all are those that are marked', () => {
  const ordered = anySelection.chain((selected) =>
    fc.tuple(
      fc.constant(selected),
      fc.shuffledSubarray([...selected.keys()], { minLength: selected.length }),
    ),
  )
  fc.assert(
    fc.property(ordered, fc.integer({ min: 1, max: 60 }), ([selected, order], limit) => {
      const [marks, positions] = [marksOf(selected), Uint32Array.from(order)]
      const wanted = order.filter((at) => selected[at])

      expect([...orderMarked(marks, positions)]).toEqual(wanted)
      expect(firstMarked(marks, positions, limit)).toEqual(wanted.slice(0, limit))
    }),
  )
})

it('the first are not looked for without end', () => {
  const length = 60_000
  const marks = marksOf(Array.from({ length }, (_, at) => at === length - 1))
  const order = Uint32Array.from({ length }, (_, at) => at)

  expect(firstMarked(marks, order, 1)).toBeUndefined()
  expect([...orderMarked(marks, order)]).toEqual([length - 1])
})
