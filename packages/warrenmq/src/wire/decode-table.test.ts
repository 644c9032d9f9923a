import { describe, expect, it } from 'vitest'
import { decodeFieldValue, decodeTable } from './decode-table.ts'

describe('a table inside a table', () => {
  it.each([
    [
      'a text that ends behind the inner table',
      [1, 0x61, 0x46, 0, 0, 0, 7, 1, 0x62, 0x53, 0, 0, 0, 1, 0x63, 0, 0x56],
    ],
    ['a name that ends behind the inner table', [1, 0x61, 0x46, 0, 0, 0, 2, 5, 0x62, 0x56, 0x56, 0x56, 0x56]],
    ['an item that ends behind its array', [1, 0x61, 0x41, 0, 0, 0, 2, 0x73, 0, 0, 0, 0x56]],
  ])('is refused with %s, though the bytes are there', (_, bytes) => {
    expect(() => decodeTable(Buffer.from(bytes))).toThrowError(
      expect.objectContaining({ code: 'WIRE_TRUNCATED' }),
    )
  })

  it('is refused at the offset from the start of the outermost', () => {
    const inner = [1, 0x62, 0x3f] // an entry b of the unknown type "?"
    const table = Buffer.from([1, 0x61, 0x46, 0, 0, 0, inner.length, ...inner])

    expect(() => decodeTable(table)).toThrowError(
      expect.objectContaining({ code: 'WIRE_UNKNOWN_TAG', offset: table.length - 1 }),
    )
  })
})

describe('a single value', () => {
  it('fills its bytes exactly', () => {
    expect(decodeFieldValue(Buffer.from([0x74, 1]))).toEqual({ type: 't', value: true })
    expect(() => decodeFieldValue(Buffer.from([0x74, 1, 0]))).toThrowError(
      expect.objectContaining({ code: 'WIRE_TRAILING_BYTES', offset: 2 }),
    )
  })
})
