import fc from 'fast-check'
import { expect, it } from 'vitest'
import { encodeProperties, parseFilter, toFieldTable } from 'warrenmq/operations'
import { allStepsOf } from '../../../../../test/support/all-steps-of.ts'
import { columnsOf, deadLetter } from '../../../../../test/support/arbitrary/letters.ts'
import { marksOf } from '../../../../../test/support/arbitrary/marks.ts'
import { summarise } from '../show/describe-message.ts'
import { countCauses } from './count-causes.ts'
import { countFacets } from './count-facets.ts'
import { countTimes } from './count-times.ts'
import { countMarks } from './marks.ts'
import { matchColumns } from './match-columns.ts'
import { orderColumns, orderValues } from './order-columns.ts'
import { SnapshotColumns } from './snapshot-columns.ts'

const letters = [
  { id: 'm-1', type: 'A', queue: 'work', error: 'timeout', diedAt: '2030-01-31T12:00:05.000Z', attempts: 3 },
  { type: 'B', body: '{"a":1}' },
  { id: '', messageType: 'A', error: 'refused', diedAt: '2030-01-31T12:00:01.000Z', attempts: 1 },
  { id: 'm-\uDCFF', type: '', queue: 'work', error: 'timeout', diedAt: '2030-01-31T12:00:31.000Z', key: 'k' },
].map(deadLetter)

it('a summary from the index is that of the message', () => {
  const columns = columnsOf(letters)

  for (const [at, message] of letters.entries())
    expect(columns.summarise(at, 'name')).toEqual(summarise(message, 'name'))
})

it('keys are found again, those of equal messages at all their places', () => {
  const columns = new SnapshotColumns()
  const keys = ['0'.repeat(32), `${'f'.repeat(31)}e`, `${'f'.repeat(31)}f`, '0'.repeat(32)]
  for (const key of keys) columns.add(letters[0]!, key, { block: 0, offset: 0 })

  expect(keys.map((_, at) => columns.keys.at(at))).toEqual(keys)
  expect(columns.keys.find(keys[0]!)).toEqual([0, 3])
  expect(columns.keys.find(keys[1]!)).toEqual([1])
  expect(columns.keys.find('1'.repeat(32))).toEqual([])
})

it('columns hold more than they had room for, and say what they take', () => {
  const columns = new SnapshotColumns()
  const before = columns.bytes
  for (let at = 0; at < 30_000; at += 1)
    columns.add(deadLetter({ id: `id-${at}`, type: `t-${at % 7}` }), '0'.repeat(32), { block: at, offset: 1 })
  columns.trim()

  expect(columns.length).toBe(30_000)
  expect(columns.ids.at(29_999)).toBe('id-29999')
  expect(columns.placeOf(29_999)).toEqual({ block: 29_999, offset: 1 })
  expect(columns.types.values).toHaveLength(7)
  expect(columns.bytes - before).toBeGreaterThan(30_000 * 60)
  expect(columns.bytes).toBeLessThan(30_000 * 150)
})

it('causes are counted with their times, the most frequent first', () => {
  const columns = columnsOf(letters)
  const nameOf = (position: number): string => `name of ${position}`

  expect(countCauses(columns, undefined, nameOf)).toMatchObject([
    { count: 2, first: '2030-01-31T12:00:05.000Z', last: '2030-01-31T12:00:31.000Z', sample: 'name of 0' },
    { kind: 'unknown', count: 1, first: null, last: null, sample: 'name of 1' },
    { count: 1, sample: 'name of 2' },
  ])
  expect(countCauses(columns, marksOf([false, false, true, false]), nameOf)).toHaveLength(1)
})

it('values are counted by what is shown of them, and those that are not listed are counted, too', () => {
  const facets = countFacets(columnsOf(letters), undefined, 1)

  const facetOf = (wanted: string) => facets.find(({ field }) => field === wanted)
  expect(facetOf('type')).toMatchObject({ distinct: 3, values: [{ value: 'A', count: 2 }] })
  expect(facetOf('queue')).toMatchObject({ distinct: 2, values: [{ value: 'work', count: 2 }] })
  expect(facetOf('attempts')).toMatchObject({ distinct: 3, values: [{ value: null, count: 2 }] })
  expect(facetOf('cause')).toMatchObject({ distinct: 3, values: [{ label: expect.any(String), count: 2 }] })
})

it('headers with few values are counted, and those with many, long or other values are not', () => {
  const message = (headers: object) => ({
    ...deadLetter({}),
    properties: encodeProperties({ headers: toFieldTable({ 'x-first': 1, ...headers } as never) }),
  })
  const messages = Array.from({ length: 600 }, (_, at) =>
    message({
      ...(at >= 100 && { tenant: at % 3 === 0 ? 'acme' : 'globex' }),
      correlation: `id-${at}`,
      size: at % 2,
      long: 'x'.repeat(101),
      at: new Date(0),
    }),
  )

  const columns = columnsOf(messages)
  const facets = countFacets(columns, undefined, 20).filter(({ field }) => field === 'header')
  const match = (where: string) => allStepsOf(matchColumns(parseFilter(where), columns, 0)).result
  const none = match('not header.tenant:"*"')

  expect(facets).toEqual([
    {
      field: 'header',
      name: 'size',
      distinct: 2,
      values: ['0', '1'].map((value) => ({ value, label: null, count: 300 })),
    },
    {
      field: 'header',
      name: 'tenant',
      distinct: 3,
      values: [
        { value: 'globex', label: null, count: 334 },
        { value: 'acme', label: null, count: 166 },
        { value: null, label: null, count: 100 },
      ],
    },
  ])
  expect({ isExact: none.isExact, matched: countMarks(none.marks) }).toEqual({ isExact: true, matched: 100 })
  expect(match('header.size>0')).toMatchObject({ isExact: true })
  expect(match('header.correlation:id-1')).toMatchObject({ isExact: false })
})

it('times are counted in round bars, empty ones too', () => {
  const columns = columnsOf(letters)

  expect(countTimes(columns, undefined, 4)).toEqual({
    from: '2030-01-31T12:00:01.000Z',
    to: '2030-01-31T12:00:31.000Z',
    bucketMs: 10_000,
    undated: 1,
    bars: ['00', '10', '20', '30'].map((second, at) => ({
      from: `2030-01-31T12:00:${second}.000Z`,
      count: [2, 0, 0, 1][at],
    })),
  })
  expect(countTimes(columnsOf([]), undefined, 4)).toMatchObject({ from: null, bars: [] })
})

it.each([1, 60, 1000])('times that lie as far apart as there are dates fit into %i bars', (most) => {
  const ends = ['-271821-04-20T00:00:00.000Z', '+275760-09-13T00:00:00.000Z']
  const columns = columnsOf(ends.map((diedAt) => deadLetter({ diedAt })))

  const { bars, undated } = countTimes(columns, undefined, most)

  expect(bars.length).toBeLessThanOrEqual(most)
  expect(bars.reduce((sum, { count }) => sum + count, 0) + undated).toBe(2)
})

it('an order has what is not known at its end, whichever way it goes', () => {
  const columns = columnsOf(letters)

  expect([...orderColumns(columns, 'position')]).toEqual([0, 1, 2, 3])
  expect([...orderColumns(columns, '-position')]).toEqual([3, 2, 1, 0])
  expect([...orderColumns(columns, 'diedAt')]).toEqual([2, 0, 3, 1])
  expect([...orderColumns(columns, '-diedAt')]).toEqual([3, 0, 2, 1])
  expect([...orderColumns(columns, '-attempts')]).toEqual([0, 2, 1, 3])
})

it('an order keeps equal ones in their place, and takes any numbers', () => {
  const values = Float64Array.of(5, 2 ** 53, Number.NaN, 0, 5, -8.64e15, 65_536, 65_535)

  expect([
    ...orderValues(
      values.filter((value) => Math.abs(value) < 2 ** 40),
      false,
    ),
  ]).toEqual([1, 0, 2, 4, 3])
  expect([...orderValues(values, false)].slice(0, 1)).toEqual([5])
  expect([...orderValues(values, false)].slice(-2)).toEqual([1, 2])
  expect(orderValues(new Float64Array(0), false)).toHaveLength(0)
})

it('an order is that of a plain sort that leaves equal ones in their place', () => {
  const value = fc.oneof(
    fc.constant(Number.NaN),
    fc.integer({ min: 0, max: 3 }),
    fc.integer({ min: -(2 ** 40), max: 2 ** 40 }),
    fc.integer({ min: 65_530, max: 65_540 }),
  )
  fc.assert(
    fc.property(fc.array(value, { maxLength: 60 }), fc.boolean(), (values, isDown) => {
      const known = values.flatMap((each, at) => (Number.isNaN(each) ? [] : [at]))
      const unknown = values.flatMap((each, at) => (Number.isNaN(each) ? [at] : []))
      const sign = isDown ? -1 : 1

      const order = orderValues(Float64Array.from(values), isDown)

      expect([...order]).toEqual([
        ...known.toSorted((left, right) => sign * (values[left]! - values[right]!)),
        ...unknown,
      ])
    }),
    { numRuns: 500 },
  )
})
