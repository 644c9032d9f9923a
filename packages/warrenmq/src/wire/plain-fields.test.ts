import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyFieldTable } from '../../../../test/support/arbitrary/fields.ts'
import { decodeTable, maxNesting } from './decode-table.ts'
import { encodeTable } from './encode-table.ts'
import type { FieldContent } from './field-value.ts'
import {
  type PlainField,
  toFieldTable,
  toFieldValue,
  toPlainField,
  toPlainTable,
  typed,
} from './plain-fields.ts'

function circular(): PlainField {
  const table: Record<string, PlainField> = {}
  table.header = table
  return table
}

function circularList(): PlainField {
  const list: PlainField[] = []
  list.push(list)
  return list
}

function circularTyped(): PlainField {
  const list: FieldContent[] = []
  list.push({ type: 'A', value: list })
  return typed({ type: 'A', value: list })
}

function nested(depth: number): PlainField {
  return depth === 0 ? 1 : { header: nested(depth - 1) }
}

describe('a plain value', () => {
  it.each<[string, FieldContent, unknown]>([
    ['the last second a Date can hold', { type: 'T', value: 8_640_000_000_000n }, new Date(8.64e15)],
    ['a second beyond it', { type: 'T', value: 8_640_000_000_001n }, 8_640_000_000_001n],
    ['the last exact integer', { type: 'l', value: 9_007_199_254_740_991n }, 9_007_199_254_740_991],
    [
      'an integer below all exact ones',
      { type: 'l', value: -9_007_199_254_740_992n },
      -9_007_199_254_740_992n,
    ],
    ['a decimal', { type: 'D', value: { scale: 2, unscaled: 1999 } }, 19.99],
  ])('is what a reader expects of %s', (_, field, plain) => {
    expect(toPlainField(field)).toEqual(plain)
  })

  it('is there for every table, and no Date among them is invalid', () => {
    const isInvalidDate = (value: unknown): boolean =>
      value instanceof Date
        ? Number.isNaN(value.getTime())
        : Array.isArray(value) && value.some(isInvalidDate)

    fc.assert(
      fc.property(anyFieldTable, (table) => {
        const plain = toPlainTable(table)

        expect(Object.keys(plain).toSorted()).toEqual([...new Set(table.map(({ name }) => name))].toSorted())
        expect(Object.values(plain).some(isInvalidDate)).toBe(false)
      }),
    )
  })

  it.each<[PlainField, FieldContent]>([
    [2_147_483_647, { type: 'I', value: 2_147_483_647 }],
    [2_147_483_648, { type: 'l', value: 2_147_483_648n }],
    [-2_147_483_649, { type: 'l', value: -2_147_483_649n }],
    [2 ** 53, { type: 'd', value: 2 ** 53 }],
    [1.5, { type: 'd', value: 1.5 }],
    [new Uint8Array([0, 255]) as never, { type: 'x', value: Buffer.from([0, 255]) }],
    [new Date(1_700_000_000_999), { type: 'T', value: 1_700_000_000n }],
  ])('of %s takes the narrowest type that holds it exactly', (plain, field) => {
    expect(toFieldValue(plain)).toEqual(field)
  })

  it.each<[string, unknown]>([
    ['an invalid Date', new Date(Number.NaN)],
    ['a Date before 1970', new Date(-1)],
    ['a function', () => 'text'],
    ['a symbol', Symbol('text')],
    ['not a number', Number.NaN],
    ['endless', Number.POSITIVE_INFINITY],
    ['endless below', Number.NEGATIVE_INFINITY],
    ['not a number, with its type', typed({ type: 'd', value: Number.NaN })],
    ['not a number, with a short type', typed({ type: 'f', value: Number.NaN })],
    ['not a number in a list with its type', typed({ type: 'A', value: [{ type: 'd', value: Number.NaN }] })],
    ['of a type that AMQP does not have', typed({ type: 'double', value: 1 } as never)],
    ['typed by a text', typed('double' as never)],
    ['typed by nothing', typed(undefined as never)],
    ['a number as a long', typed({ type: 'l', value: 5 } as never)],
    ['a number as text', typed({ type: 'S', value: 5 } as never)],
    ['text as bytes', typed({ type: 'x', value: 'text' } as never)],
    ['text as a boolean', typed({ type: 't', value: 'yes' } as never)],
    ['a number as a decimal', typed({ type: 'D', value: 1.5 } as never)],
    ['a plain number in a list with its type', typed({ type: 'A', value: [1] } as never)],
    ['a plain table with its type', typed({ type: 'F', value: { a: 1 } } as never)],
    ['a table without names', typed({ type: 'F', value: [{ value: { type: 'V', value: null } }] } as never)],
    ['a list with its type, in itself', circularTyped()],
    ['a Map', new Map([['a', 1]])],
    ['a Set', new Set([1])],
    ['an Error', new Error('text')],
    ['a promise', Promise.resolve(1)],
    ['nested in itself', circular()],
    ['a list in itself', circularList()],
    ['nested too deep', nested(maxNesting + 1)],
  ])('is refused when it is %s', (_, value) => {
    const refusal = expect.objectContaining({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining('header'),
    })

    expect(() => toFieldTable({ header: value as PlainField })).toThrowError(refusal)
    expect(() => toFieldTable({ outer: { header: [1, value as PlainField] } })).toThrowError(refusal)
  })

  it('may be nested as deep as it can be read', () => {
    expect(() => decodeTable(encodeTable(toFieldTable({ header: nested(maxNesting) })))).not.toThrow()
  })
})

describe('a value with a type', () => {
  it.each<[FieldContent, RegExp]>([
    [{ type: 'b', value: 128 }, /128 does not fit/],
    [{ type: 'B', value: -1 }, /-1 does not fit/],
    [{ type: 's', value: 40_000 }, /40000 does not fit/],
    [{ type: 'u', value: 65_536 }, /65536 does not fit/],
    [{ type: 'I', value: 1.5 }, /1.5 does not fit/],
    [{ type: 'i', value: Number.NaN }, /NaN does not fit/],
    [{ type: 'l', value: 2n ** 63n }, /9223372036854775808 does not fit/],
    [{ type: 'T', value: -1n }, /-1 does not fit/],
    [{ type: 'f', value: 1e300 }, /1e\+300 does not fit/],
    [{ type: 'D', value: { scale: 0.5, unscaled: 1 } }, /1 ÷ 10\^0.5 does not fit/],
    [{ type: 'D', value: { scale: 256, unscaled: 1 } }, /does not fit/],
  ])('is refused when it does not fit, never narrowed: %o', (value, message) => {
    expect(() => encodeTable([{ name: 'header', value }])).toThrowError(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringMatching(message) }),
    )
  })
})
