import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyFieldTable } from '../../../../test/support/arbitrary/fields.ts'
import { WireError } from '../errors.ts'
import { decodeShownTable, decodeTable, maxNesting } from './decode-table.ts'
import { editTable, findHeader, headerNames } from './edit-table.ts'
import { encodeTable } from './encode-table.ts'
import type { FieldContent, FieldTable } from './field-value.ts'
import { toFieldTable, toPlainTable, typed } from './plain-fields.ts'

const everyType: FieldTable = [
  { name: 'bool', value: { type: 't', value: true } },
  { name: 'int8', value: { type: 'b', value: -1 } },
  { name: 'uint8', value: { type: 'B', value: 255 } },
  { name: 'int16', value: { type: 's', value: -300 } },
  { name: 'uint16', value: { type: 'u', value: 65535 } },
  { name: 'int32', value: { type: 'I', value: -2_000_000_000 } },
  { name: 'uint32', value: { type: 'i', value: 4_000_000_000 } },
  { name: 'int64', value: { type: 'l', value: -9_223_372_036_854_775_808n } },
  { name: 'time', value: { type: 'T', value: 18_446_744_073_709_551_615n } },
  { name: 'float', value: { type: 'f', value: 0.5 } },
  { name: 'double', value: { type: 'd', value: 0.1 } },
  { name: 'decimal', value: { type: 'D', value: { scale: 2, unscaled: 1999 } } },
  { name: 'text', value: { type: 'S', value: 'grün' } },
  { name: 'bytes-in-text', value: { type: 'S', value: Buffer.from([0xff, 0xfe]) } },
  { name: 'bytes', value: { type: 'x', value: Buffer.from([0, 1, 2]) } },
  { name: 'array', value: { type: 'A', value: [{ type: 'V', value: null }] } },
  { name: 'table', value: { type: 'F', value: [{ name: 'inner', value: { type: 'l', value: 1n } }] } },
  { name: 'void', value: { type: 'V', value: null } },
]

describe('a field table', () => {
  it('keeps the type and value of every AMQP type', () => {
    expect(decodeTable(encodeTable(everyType))).toEqual(everyType)
  })

  it('is the same bytes after decode and encode, whatever it holds', () => {
    fc.assert(
      fc.property(anyFieldTable, (table) => {
        const bytes = encodeTable(table)
        expect(encodeTable(decodeTable(bytes)).equals(bytes)).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })

  it.each([
    ['a boolean that is neither 0 nor 1', [1, 0x61, 0x74, 7]],
    ['a NaN with a payload', [1, 0x61, 0x64, 0x7f, 0xf8, 0, 0, 0, 0, 0x12, 0x34]],
    ['a signalling float NaN', [1, 0x61, 0x66, 0x7f, 0xa0, 0, 1]],
    ['a name that is not UTF-8', [2, 0xff, 0xfe, 0x56]],
    ['a name that stands twice', [1, 0x61, 0x56, 1, 0x61, 0x74, 1]],
    ['a replacement character of its own', [1, 0x61, 0x53, 0, 0, 0, 3, 0xef, 0xbf, 0xbd]],
  ])('passes on %s as it came', (_, bytes) => {
    const table = Buffer.from(bytes)

    expect(encodeTable(decodeTable(table))).toEqual(table)
  })

  it.each([
    ['WIRE_TRUNCATED', 'a name without its bytes', [9, 0x61]],
    ['WIRE_TRUNCATED', 'a value without its bytes', [1, 0x61, 0x6c, 0]],
    ['WIRE_TRUNCATED', 'a length beyond the table', [1, 0x61, 0x53, 0xff, 0xff, 0xff, 0xff]],
    ['WIRE_TRUNCATED', 'a name without a value', [1, 0x61]],
    ['WIRE_UNKNOWN_TAG', 'an unknown tag', [1, 0x61, 0x7a, 0]],
  ])('is refused as %s when it has %s', (code, _, bytes) => {
    const table = Buffer.from(bytes)

    expect(() => decodeTable(table)).toThrowError(expect.objectContaining({ code }))
    expect(() => editTable(table, {})).toThrowError(WireError)
    expect(() => findHeader(table, 'no such name')).toThrowError(WireError)
  })

  const nested = (depth: number): FieldContent =>
    depth === 0 ? { type: 'V', value: null } : { type: 'A', value: [nested(depth - 1)] }

  it('that is shown is written again as it was, however deep it is', () => {
    const bytes = encodeTable([{ name: 'a', value: nested(maxNesting + 100) }])

    expect(encodeTable(decodeShownTable(bytes))).toEqual(bytes)
  })

  it('is refused when it is nested too deep, before the stack ends', () => {
    expect(() => decodeTable(encodeTable([{ name: 'a', value: nested(maxNesting) }]))).not.toThrow()
    expect(() => decodeTable(encodeTable([{ name: 'a', value: nested(maxNesting + 1) }]))).toThrowError(
      expect.objectContaining({ code: 'WIRE_TOO_DEEP' }),
    )
  })

  it('can be shown however deep it is, what lies too deep as its bytes', () => {
    const deep = encodeTable([{ name: 'a', value: nested(500) }])

    let shown = decodeShownTable(deep)[0]!.value
    let depth = 0
    while (shown.type === 'A') {
      shown = shown.value[0]!
      depth += 1
    }

    const [outer] = decodeShownTable(encodeTable([{ name: 'a', value: nested(maxNesting) }]))
    expect({ depth, type: shown.type }).toEqual({ depth: maxNesting, type: 'x' })
    expect(outer!.value).toEqual(nested(maxNesting))
  })
})

describe('editing a table', () => {
  it('changes the edited entry and leaves all others byte-identical', () => {
    fc.assert(
      fc.property(anyFieldTable, anyFieldTable, fc.string({ maxLength: 20 }), (table, [added], removed) => {
        const set = added ? [added] : []
        const isTouched = (name: string) => name === removed || set.some((entry) => entry.name === name)

        const edited = editTable(encodeTable(table), { set, remove: (name) => name === removed })

        const untouched = table.filter(
          (entry) => !isTouched(Buffer.from(entry.nameBytes ?? entry.name).toString()),
        )
        expect(edited.equals(Buffer.concat([encodeTable(untouched), encodeTable(set)]))).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })

  it('finds each header by its name without decoding the others', () => {
    const bytes = encodeTable(everyType)

    for (const { name, value } of everyType) expect(findHeader(bytes, name)).toEqual(value)
    expect(findHeader(bytes, 'absent')).toBeUndefined()
    expect(headerNames(bytes)).toEqual(everyType.map(({ name }) => name))
  })

  it('refuses a header name that AMQP cannot carry', () => {
    expect(() => encodeTable([{ name: 'n'.repeat(256), value: { type: 'V', value: null } }])).toThrow(
      /256 bytes/,
    )
    expect(() => encodeTable([{ name: 'a', value: { type: 'b', value: 300 } }])).toThrow(/300 does not fit/)
  })
})

describe('plain fields', () => {
  it('take the AMQP type that a reader of JavaScript expects', () => {
    const plain = {
      text: 'a',
      small: 1,
      large: 2 ** 40,
      real: 1.5,
      yes: true,
      none: null,
      list: [1],
      deep: { a: 'b' },
    }

    const types = toFieldTable({ ...plain, exact: typed({ type: 'l', value: 5n }), left: undefined }).map(
      ({ name, value }) => `${name}:${value.type}`,
    )

    expect(types).toEqual([
      'text:S',
      'small:I',
      'large:l',
      'real:d',
      'yes:t',
      'none:V',
      'list:A',
      'deep:F',
      'exact:l',
    ])
    expect(toPlainTable(toFieldTable(plain))).toEqual(plain)
  })

  it('keep an integer beyond 2^53 exact', () => {
    expect(toPlainTable([{ name: 'id', value: { type: 'l', value: 9_007_199_254_740_993n } }])).toEqual({
      id: 9_007_199_254_740_993n,
    })
  })
})
