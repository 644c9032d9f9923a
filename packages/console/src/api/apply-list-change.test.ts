import { expect, it } from 'vitest'
import { applyListChange } from './apply-list-change.ts'

const nameOf = ({ id }: { readonly id: string }): string => id
const list = [
  { id: 'a', state: 'running' },
  { id: 'b', state: 'done' },
]

it('a whole list replaces what was known', () => {
  expect(applyListChange(list, { isWhole: true, items: [], gone: [] }, nameOf)).toEqual([])
})

it('what has changed keeps its place, what is new comes first, what is gone is gone', () => {
  const items = [
    { id: 'c', state: 'running' },
    { id: 'a', state: 'done' },
  ]

  expect(applyListChange(list, { isWhole: false, items, gone: ['b'] }, nameOf)).toEqual([
    { id: 'c', state: 'running' },
    { id: 'a', state: 'done' },
  ])
})
