import { expect, it } from 'vitest'
import { filterOfIds } from './filter-of-ids.ts'
import { quoteFilterValue } from './quote-filter-value.ts'

it('a value with anything but word characters is quoted', () => {
  expect(quoteFilterValue('c-1f0e3dad')).toBe('c-1f0e3dad')
  expect(quoteFilterValue('say "a" \\ b')).toBe('"say \\"a\\" \\\\ b"')
})

it('messages are named by their ids, as long as all have one and they fit', () => {
  expect(filterOfIds(['m-1', 'a b'])).toBe('id=m-1 or id="a b"')
  expect(filterOfIds(['m-1', null])).toBeUndefined()
  expect(filterOfIds([])).toBeUndefined()
  expect(filterOfIds(Array.from({ length: 400 }, (_, index) => `m-${index}`))).toBeUndefined()
})

it('an id with a star names no message, because a filter takes it for any text', () => {
  expect(filterOfIds(['order-*'])).toBeUndefined()
  expect(filterOfIds(['m-1', '*'])).toBeUndefined()
})
