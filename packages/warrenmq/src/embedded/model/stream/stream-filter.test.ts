import { expect, test } from 'vitest'
import { type PlainTable, toFieldTable } from '../../../wire/plain-fields.ts'
import { encodeProperties } from '../../../wire/properties.ts'
import { passesFilter, readStreamFilter } from './stream-filter.ts'

test.each<[PlainTable, readonly string[]]>([
  [{ 'x-stream-filter': 'a' }, ['a']],
  [{ 'x-stream-filter': ['a', 'b'] }, ['a', 'b']],
  [{ 'x-stream-filter': 'a', 'x-stream-match-unfiltered': true }, ['a', '', 'none']],
  [{ 'x-stream-filter': 'z' }, []],
  [{ 'x-stream-match-unfiltered': true }, ['a', 'b', '', 'none']],
])('%j lets through %j', (args, passed) => {
  const filter = readStreamFilter(toFieldTable(args))
  const headersOf = (value: string) => (value === 'none' ? {} : { 'x-stream-filter-value': value })
  const isPassed = (value: string) => {
    const properties = encodeProperties({ headers: toFieldTable(headersOf(value)) })
    return !filter || passesFilter(filter, properties)
  }

  expect(['a', 'b', '', 'none'].filter(isPassed)).toEqual(passed)
})
