import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeTable } from '../wire/encode-table.ts'
import { encodeName, findValue } from '../wire/name-matcher.ts'
import { type PlainTable, toFieldTable } from '../wire/plain-fields.ts'
import { readIsoTime } from './read-iso-time.ts'

function read(value: PlainTable[string]): number {
  const headers = encodeTable(toFieldTable({ other: 'x', at: value }))
  return readIsoTime(headers, findValue(headers, encodeName('at')))
}

describe('the reader of times in headers', () => {
  it('reads every day that all months have as Date.parse does', () => {
    const times = fc.date({
      min: new Date('0100-01-01T00:00:00.000Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(times, (time) => {
        const isLate = time.getUTCDate() > 28
        expect(read(time.toISOString())).toBe(isLate ? Number.NaN : time.getTime())
      }),
      { numRuns: 1_000 },
    )
  })

  it('never reads another time out of a text than Date.parse does', () => {
    const digit = fc.constantFrom(...'0123456789')
    const texts = fc
      .array(digit, { minLength: 17, maxLength: 17 })
      .map((digits) =>
        [...'0000-00-00T00:00:00.000Z'].map((mark) => (mark === '0' ? digits.pop() : mark)).join(''),
      )
    fc.assert(
      fc.property(texts, (text) => {
        const timeMs = read(text)
        if (!Number.isNaN(timeMs)) expect(timeMs).toBe(Date.parse(text))
      }),
      { numRuns: 5_000 },
    )
  })

  it.each<[string, PlainTable[string]]>([
    ['no milliseconds', '2026-01-01T00:00:00Z'],
    ['another zone', '2026-01-01T00:00:00.00+1'],
    ['a letter for a digit', '2026-01-01T00:00:0x.000Z'],
    ['an hour too late', '2026-01-01T24:00:00.000Z'],
    ['bytes', Buffer.from('2026-01-01T00:00:00.000Z')],
    ['a number', 7],
    ['nothing', ''],
  ])('leaves %s to who reads text', (_, value) => {
    expect(read(value)).toBeNaN()
  })

  it('reads nothing behind the end of a table', () => {
    const headers = encodeTable(toFieldTable({ at: '2026-01-01T00:00:00.000Z' }))

    for (let end = 3; end < headers.length; end += 1)
      expect(readIsoTime(headers.subarray(0, end), 3)).toBeNaN()
  })
})
