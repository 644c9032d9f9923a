import { expect, test } from 'vitest'
import { renderCause, renderSplitHint } from './render-cause.ts'

const rejected = {
  ...({ id: 'abc', label: 'rejected (orders)', kind: 'death', count: 20_000 } as const),
  first: '2026-01-01T00:00:00.000Z',
  last: undefined,
  sample: 'm-1',
}
const split = {
  field: 'body.gateway',
  values: [
    { value: 'acme', count: 9_000 },
    { value: '', count: 6_000 },
    { value: null, count: 5_000 },
  ],
}

test('a cause tells how many, since when, one of them, and what tells its messages apart', () => {
  const group = { ...rejected, splits: [split] }

  expect(renderCause(group)).toEqual({
    count: '     20000',
    id: 'abc',
    label: 'rejected (orders)',
    below: [
      'first 2026-01-01T00:00:00.000Z, such as m-1',
      'these split by body.gateway: acme 9000, (empty) 6000, (none) 5000',
    ],
  })
  expect(renderSplitHint([rejected, group])).toContain('--group-by body.gateway.')
})

test('of many values the most frequent are told, and how many others there are', () => {
  const values = Array.from({ length: 9 }, (_, index) => ({ value: `v${index}`, count: 10 }))

  expect(renderCause({ ...rejected, splits: [{ field: 'key', values }] }).below.at(-1)).toBe(
    'these split by key: v0 10, v1 10, v2 10, v3 10, v4 10, v5 10, 3 others 30',
  )
})

test('a group says what it was grouped by', () => {
  const by = [
    { field: 'key', value: 'order.placed' },
    { field: 'body.gateway', value: null },
  ]

  expect(renderCause({ ...rejected, by }).below.slice(0, 2)).toEqual([
    'key: order.placed',
    'body.gateway: (none)',
  ])
  expect(renderSplitHint([{ ...rejected, by }])).toBeUndefined()
})
