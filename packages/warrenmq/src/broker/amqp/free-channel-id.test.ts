import { expect, it } from 'vitest'
import { freeChannelId } from './free-channel-id.ts'

it.each([
  ['the first is 1', { taken: [], last: 0, most: 0 }, 1],
  ['a number that was given back is not used again immediately', { taken: [1], last: 2, most: 10 }, 3],
  ['after the highest it begins again, at the first that is free', { taken: [1, 3], last: 3, most: 3 }, 2],
  ['where nothing was agreed on, the protocol sets the highest', { taken: [], last: 65_535, most: 0 }, 1],
])('%s', (_fact, { taken, last, most }, id) => {
  expect(freeChannelId({ taken: new Set(taken), last, most })).toBe(id)
})

it('refuses when all numbers are taken', () => {
  const full = { taken: new Set([1, 2]), last: 2, most: 2 }

  expect(() => freeChannelId(full)).toThrow('All 2 channels of the connection are in use.')
})
