import fc from 'fast-check'
import { expect, it } from 'vitest'
import { allStepsOf } from '../../../../../test/support/all-steps-of.ts'
import { listMarks } from '../../../../../test/support/arbitrary/marks.ts'
import { CodeColumn } from './code-column.ts'
import { createMarks } from './marks.ts'
import { rowsPerBlock } from './value-rows.ts'

/** A field with so many values; most messages have one of the first. */
function columnOf({ length, values, seed }: { length: number; values: number; seed: number }) {
  const column = new CodeColumn()
  let state = seed
  for (let at = 0; at < length; at += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    const share = (state >>> 8) / 2 ** 24
    column.push(Math.floor(share ** 3 * values))
  }
  return column
}

const anyColumn = fc.record({
  length: fc.constantFrom(1, rowsPerBlock - 1, rowsPerBlock, rowsPerBlock + 1, 2 * rowsPerBlock + 777),
  values: fc.constantFrom(1, 2, 5, 300, 5_000, 70_000),
  seed: fc.integer(),
})

it('marks what a pass over all codes would mark, whichever values are wanted', () => {
  const share = fc.constantFrom(0, 0.1, 0.5, 0.9, 1)
  fc.assert(
    fc.property(anyColumn, share, (made, wantedShare) => {
      const { codes, rows } = columnOf(made)
      const values = Array.from({ length: made.values }, (_, code) => code)
      const wanted = Uint8Array.from(values, (code) =>
        Number((Math.imul(code + 1, 2_654_435_761) >>> 0) / 2 ** 32 < wantedShare),
      )
      // Of a snapshot that is being made, more have come since.
      const length = Math.ceil(made.length * 0.99)

      allStepsOf(rows.growTo(length, { codes, values }))
      const marks = createMarks(length)
      rows.markIn(marks, codes, wanted)

      expect(listMarks(marks)).toEqual(Array.from(codes.subarray(0, length), (code) => wanted[code] === 1))
    }),
    { numRuns: 40 },
  )
})

it('takes about 2 bytes a message, and a bit where all are the same', () => {
  const grown = [1, 300].map((values) => {
    const { codes, rows } = columnOf({ length: 3 * rowsPerBlock, values, seed: 1 })
    allStepsOf(rows.growTo(codes.length, { codes, values: Array.from({ length: values }) }))
    return rows.bytes / codes.length
  })

  expect(grown[0]).toBeLessThan(0.126)
  expect(grown[1]).toBeLessThan(2.1)
})

it('codes take as many bytes as the largest needs, and come back as they were', () => {
  const column = new CodeColumn()
  const codes = [0, 255, 3, 256, 65_535, 65_536, 0, 4_000_000_000]
  const widths = codes.map((code) => {
    column.push(code)
    return column.codes.BYTES_PER_ELEMENT
  })
  column.zeroTo(3_000)
  column.trim()

  expect(widths).toEqual([1, 1, 1, 2, 2, 4, 4, 4])
  expect([...column.codes.subarray(0, 9)]).toEqual([...codes, 0])
  expect([column.codes.length, column.at(1), column.bytes]).toEqual([3_000, 255, 12_000])
})
