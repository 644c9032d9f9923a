import { expect, test } from 'vitest'
import { decideAhead } from './decide-ahead.ts'

const start = { mostAheadMs: 2_000, averageBytes: 1_024, came: 0, elapsedMs: 0 }

test.each([
  ['nothing has come yet', {}, 64],
  ['nobody knows how large they are', { averageBytes: undefined }, 16],
  ['they are tiny', { averageBytes: 1 }, 2_000],
  ['they are empty', { averageBytes: 0 }, 2_000],
  ['they are large', { averageBytes: 10 * 1_024 * 1_024 }, 1],
  ['they come fast', { came: 64, elapsedMs: 4 }, 32_000],
  ['they come slowly', { came: 64, elapsedMs: 1_000 }, 128],
  ['they hardly come', { came: 2, elapsedMs: 4_000 }, 64],
  ['they came at once', { came: 64, elapsedMs: 0 }, 128_000],
])('so many are sent ahead where %s', (_case, seen, expected) => {
  expect(decideAhead({ ...start, ...seen })).toBe(expected)
})
