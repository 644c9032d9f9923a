import { expect, it } from 'vitest'
import { completeFilter } from './complete-filter.ts'

const values = {
  type: [
    { value: 'OrderPlaced', label: null, count: 40 },
    { value: 'Order changed', label: null, count: 2 },
  ],
  cause: [{ value: 'abc', label: 'TimeoutError: no answer', count: 7 }],
}
const valuesOf = (field: string) => values[field as 'type'] ?? []
const complete = (text: string): readonly string[] =>
  completeFilter(text, text.length, valuesOf).map((each) => `${text.slice(0, each.from)}${each.text}`)

it.each([
  ['ty', ['type:']],
  ['header', ['header.']],
  ['n', ['not ']],
  ['(ca', ['(cause:']],
  ['type:', ['type:OrderPlaced ', 'type:"Order changed" ']],
  ['type:"order c', []],
  ['type!=placed', ['type!=OrderPlaced ']],
  ['cause:time', ['cause:abc ']],
  ['type:A ', ['type:A and ', 'type:A or ']],
  ['type:A an', ['type:A and ']],
  ['type:A and id', ['type:A and id:']],
  ['died<1', ['died<15m ', 'died<1h ', 'died<1d ']],
  ['header.tenant:', []],
  ['type:OrderPlaced', []],
])('%j can become %j', (text, found) => {
  expect(complete(text)).toEqual(found)
})

it('an empty line offers every field', () => {
  expect(complete('')).toContain('cause:')
  expect(complete('type:A and ')).toContain('type:A and died<')
})

it('only what is before the caret is completed', () => {
  expect(completeFilter('ty and id:1', 2, valuesOf)).toEqual([
    { text: 'type:', from: 0, about: 'type of the message' },
  ])
})
