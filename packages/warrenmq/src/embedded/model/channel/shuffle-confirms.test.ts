import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createSeededRandom } from '../collections/seeded-random.ts'
import { shuffleConfirms } from './shuffle-confirms.ts'

const due = fc
  .array(fc.constantFrom('orders', 'letters', 'audit'), { maxLength: 40 })
  .map((queues) => queues.map((waitedFor, at) => ({ tag: at + 1, waitedFor })))

it('every publish is confirmed once, and those of one queue in their order', () => {
  fc.assert(
    fc.property(due, fc.integer(), (confirms, seed) => {
      const told = shuffleConfirms(confirms, createSeededRandom(seed)).flat()

      expect(told.toSorted((a, b) => a - b)).toEqual(confirms.map(({ tag }) => tag))
      for (const queue of ['orders', 'letters', 'audit']) {
        const ofQueue = confirms.filter(({ waitedFor }) => waitedFor === queue).map(({ tag }) => tag)
        expect(told.filter((tag) => ofQueue.includes(tag))).toEqual(ofQueue)
      }
    }),
  )
})

it('the same seed gives the same order', () => {
  const confirms = Array.from({ length: 20 }, (_, at) => ({
    tag: at + 1,
    waitedFor: at % 2 ? 'odd' : 'even',
  }))
  const told = (seed: number) => shuffleConfirms(confirms, createSeededRandom(seed))

  expect(told(7)).toEqual(told(7))
  expect(told(7)).not.toEqual(told(8))
})
