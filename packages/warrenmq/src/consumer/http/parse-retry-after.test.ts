import { expect, it } from 'vitest'
import { parseRetryAfter } from './parse-retry-after.ts'

const nowMs = Date.parse('2024-01-01T00:00:00Z')

it.each([
  ['0', 0],
  ['120', 120_000],
  [' 5 ', 5_000],
  ['Mon, 01 Jan 2024 00:01:00 GMT', 60_000],
  ['Sun, 31 Dec 2023 23:00:00 GMT', 0],
  ['-5', undefined],
  ['soon', undefined],
  ['1.5', undefined],
  ['', undefined],
  [null, undefined],
])('Retry-After %j is %s ms', (value, expected) => {
  expect(parseRetryAfter(value, nowMs)).toBe(expected)
})
