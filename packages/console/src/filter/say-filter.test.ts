import { expect, it } from 'vitest'
import { sayFilter } from './say-filter.ts'

const labelOf = (id: string) => (id === 'abc' ? 'TimeoutError: no answer' : undefined)

it.each([
  [undefined, undefined],
  ['type:OrderPlaced', 'whose type is “OrderPlaced”'],
  ['cause:abc and died<2h', 'whose cause is “TimeoutError: no answer” and that died less than 2 h ago'],
  ['died>90m', 'that died more than 90 min ago'],
  [
    'not (header.tenant!="a b" or attempts>=3)',
    'not (whose header tenant is not “a b” or whose number of attempts is at least “3”)',
  ],
  ['header.größe:1', 'whose header größe is “1”'],
  ['gateway "no answer"', 'that hold “gateway” that hold “no answer”'],
])('%s is said as %s', (where, said) => {
  expect(sayFilter(where, labelOf)).toBe(said)
})
