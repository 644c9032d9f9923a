import { describe, expect, test } from 'vitest'
import { chooseSplits } from './cause-splits.ts'

const counts = (field: string, ...values: [string, number][]) => ({ field, values })
const fieldsOf = (fields: Parameters<typeof chooseSplits>[0]['fields'], total = 100) =>
  chooseSplits({ total, fields }).map(({ field }) => field)

test('a field splits messages by its values, the most frequent first, and by those that have none', () => {
  const fields = [counts('body.gateway', ['zenith', 20], ['acme', 50])]

  expect(chooseSplits({ total: 100, fields })).toEqual([
    {
      field: 'body.gateway',
      values: [
        { value: 'acme', count: 50 },
        { value: null, count: 30 },
        { value: 'zenith', count: 20 },
      ],
    },
  ])
})

describe('of several fields are proposed', () => {
  test('none that does not split, or into single messages', () => {
    expect(fieldsOf([counts('type', ['A', 100])])).toEqual([])
    expect(fieldsOf([counts('body.id', ['1', 1], ['2', 1])], 2)).toEqual([])
  })

  test('those first that are named like a cause, then those that split the most', () => {
    const fields = [
      counts('body.test', ['true', 50], ['false', 50]),
      counts('body.gateway', ['a', 40], ['b', 30], ['c', 30]),
      counts('body.errorCode', ['x', 90], ['y', 10]),
    ]

    expect(fieldsOf(fields)).toEqual(['body.errorCode', 'body.gateway', 'body.test'])
  })

  test('those with a few values before those with many', () => {
    const many = Array.from({ length: 20 }, (_, index): [string, number] => [`c${index}`, 5])

    expect(
      fieldsOf([counts('body.country', ...many), counts('body.test', ['true', 99], ['false', 1])]),
    ).toEqual(['body.test', 'body.country'])
  })

  test('one of those that split alike, and three at most', () => {
    const fields = [
      counts('body.kind', ['p', 60], ['q', 40]),
      counts('key', ['order.placed', 60], ['order.paid', 40]),
      ...[70, 80, 90].map((count) => counts(`body.${count}`, ['a', count], ['b', 100 - count])),
    ]

    expect(fieldsOf(fields)).toEqual(['key', 'body.70', 'body.80'])
  })
})
