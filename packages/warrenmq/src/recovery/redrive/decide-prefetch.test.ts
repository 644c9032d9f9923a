import { describe, expect, it } from 'vitest'
import { decidePrefetch, type PrefetchQuestion } from './decide-prefetch.ts'

const mib = 1024 * 1024
const usual: PrefetchQuestion = { window: 1000, limit: Number.POSITIVE_INFINITY, averageBytes: 1024 }

describe('what the broker may send ahead', () => {
  it.each([
    ['is the window, where messages are small', {}, 1000],
    ['is no more than is wanted', { limit: 10 }, 10],
    ['is 64 MiB, where messages are large', { averageBytes: mib }, 64],
    ['is one message, however large', { averageBytes: 100 * mib }, 1],
    ['is less where nobody knows how large messages are', { averageBytes: undefined }, 400],
    ['is one where one is under way at a time', { window: 1, averageBytes: undefined }, 1],
  ])('%s', (_, parts, prefetch) => {
    expect(decidePrefetch({ ...usual, ...parts })).toBe(prefetch)
  })
})
