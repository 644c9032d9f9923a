import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyFieldTable } from '../../../../test/support/arbitrary/fields.ts'
import { decodeTable } from './decode-table.ts'
import { findHeader } from './edit-table.ts'
import { encodeTable } from './encode-table.ts'
import { encodeName, endOfValue, findValue, matchNames, valueOfEntry } from './name-matcher.ts'

describe('scanning encoded headers', () => {
  it('finds what decoding finds, in any table', () => {
    fc.assert(
      fc.property(anyFieldTable, (entries) => {
        const table = encodeTable(entries)
        const decoded = decodeTable(table)
        for (const wanted of [...decoded.map(({ name }) => name), 'not there'])
          expect(findHeader(table, wanted)).toEqual(decoded.find(({ name }) => name === wanted)?.value)
      }),
    )
  })

  it('tells known names and prefixes apart from all others', () => {
    const match = matchNames({
      names: new Map([
        ['CC', 1],
        ['x-death', 2],
      ]),
      prefixes: new Map([['x-first-death-', 3]]),
    })
    const answerFor = (name: string) => match(encodeTable([{ name, value: { type: 'V', value: null } }]), 0)

    expect(['CC', 'x-death', 'x-first-death-queue'].map(answerFor)).toEqual([1, 2, 3])
    expect(['BC', 'CCC', 'x-deaths', 'x-first-death', ''].map(answerFor)).toEqual([-1, -1, -1, -1, -1])
  })

  it.each([
    [
      'in the middle of a value',
      encodeTable([{ name: 'a', value: { type: 'S', value: 'text' } }]).subarray(0, -1),
    ],
    ['in the middle of a length', Buffer.from('\x01aS\0\0', 'latin1')],
    ['behind the name', Buffer.from('\x01a', 'latin1')],
    ['with a type nobody knows', Buffer.from('\x01aZ', 'latin1')],
  ])('refuses a table that ends %s', (_, table) => {
    expect(() => endOfValue(table, valueOfEntry(table, 0))).toThrow(/field/i)
    expect(() => findValue(table, encodeName('b'))).toThrow(/field/i)
  })
})
