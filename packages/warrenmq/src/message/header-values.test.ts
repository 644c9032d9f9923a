import { describe, expect, it } from 'vitest'
import type { FieldValue } from '../wire/field-value.ts'
import { integerOf, textOf } from './header-values.ts'

describe('integerOf', () => {
  it.each<[FieldValue, number | undefined]>([
    [{ type: 'b', value: 3 }, 3],
    [{ type: 'I', value: 3 }, 3],
    [{ type: 'l', value: 3n }, 3],
    [{ type: 'd', value: 3 }, 3],
    [{ type: 'S', value: '3' }, 3],
    [{ type: 'x', value: Buffer.from('3') }, 3],
    [{ type: 'l', value: 9_223_372_036_854_775_807n }, Number.MAX_SAFE_INTEGER],
    [{ type: 'I', value: -1 }, undefined],
    [{ type: 'd', value: 3.5 }, undefined],
    [{ type: 'd', value: Number.NaN }, undefined],
    [{ type: 'd', value: Number.POSITIVE_INFINITY }, undefined],
    [{ type: 'S', value: 'three' }, undefined],
    [{ type: 'S', value: '' }, undefined],
    [{ type: 'S', value: '-3' }, undefined],
    [{ type: 't', value: true }, undefined],
    [{ type: 'V', value: null }, undefined],
    [{ type: 'A', value: [] }, undefined],
  ])('%o is %s', (value, expected) => {
    expect(integerOf(value)).toBe(expected)
  })
})

describe('textOf', () => {
  it.each<[FieldValue, string | undefined]>([
    [{ type: 'S', value: 'grün' }, 'grün'],
    [{ type: 'S', value: Buffer.from([0xff]) }, '\uFFFD'],
    [{ type: 'x', value: Buffer.from('bytes') }, 'bytes'],
    [{ type: 'I', value: 1 }, undefined],
    [{ type: 'V', value: null }, undefined],
  ])('%o is %j', (value, expected) => {
    expect(textOf(value)).toBe(expected)
  })
})
