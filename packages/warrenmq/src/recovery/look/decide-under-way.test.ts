import { expect, test } from 'vitest'
import { decideUnderWay } from './decide-under-way.ts'

const mebibyte = 1024 * 1024

test.each([
  ['nothing is kept, whatever the size', { keepsBodies: false, seen: 10, seenBytes: 160 * mebibyte }, 2_000],
  ['nobody knows the size', { keepsBodies: true, seen: 0, seenBytes: 0 }, 16],
  ['they are small', { keepsBodies: true, seen: 16, seenBytes: 16 * 1024 }, 2_000],
  ['they are of a mebibyte', { keepsBodies: true, seen: 16, seenBytes: 16 * mebibyte }, 127],
  ['they are as large as can be', { keepsBodies: true, seen: 1, seenBytes: 128 * mebibyte }, 16],
])('so many are under way where %s', (_case, seenSoFar, expected) => {
  expect(decideUnderWay(seenSoFar)).toBe(expected)
})
