import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wrapText } from './wrap-text.ts'

test.each([
  ['a short line', 'as it is', 'as it is'],
  ['a long line between words', 'one two three four five', 'one two\nthree four\nfive'],
  ['with what follows below its text', '  one two three four', '  one two\n  three\n  four'],
  ['columns stay apart', '12  abc  one two', '12  abc\none two'],
  ['a word that is too wide is left alone', 'a abcdefghijklmnop b', 'a\nabcdefghijklmnop\nb'],
  [
    'a command that is to be copied',
    'warren dlq peek billing.orders.dlq',
    'warren dlq peek billing.orders.dlq',
  ],
  ['lines by themselves', 'one two three\n\nfour', 'one two\nthree\n\nfour'],
])('%s', (_, text, expected) => {
  expect(wrapText(text, { columns: 10 })).toBe(expected)
})

test('no word is broken or lost, and no line is too wide that need not be', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), fc.integer({ min: 1, max: 40 }), (text, columns) => {
      const wrapped = wrapText(text, { columns })
      expect(wrapped.split(/\s+/).filter(Boolean)).toEqual(text.split(/\s+/).filter(Boolean))
      for (const line of wrapped.split('\n')) {
        const isOneWord = line.trim().split(/\s+/).length <= 1
        const isWide = [...line].length > columns && !/^\s*(rabbitmqctl|warren|npx|docker|curl) /.test(line)
        if (isWide && !text.split('\n').includes(line)) expect(isOneWord).toBe(true)
      }
    }),
  )
})
