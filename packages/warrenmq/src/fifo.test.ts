import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createFifo } from './fifo.ts'

it('is an array that takes from its head', () => {
  const step = fc.constantFrom('push', 'unshift', 'shift', 'shift', 'push')
  fc.assert(
    fc.property(fc.array(step, { maxLength: 3_000, size: 'max' }), (steps) => {
      const fifo = createFifo<number>()
      const array: number[] = []
      for (const [index, each] of steps.entries()) {
        if (each === 'shift') expect(fifo.shift()).toBe(array.shift())
        else if (each === 'push') {
          fifo.push(index)
          array.push(index)
        } else {
          fifo.unshift(index)
          array.unshift(index)
        }
        expect([fifo.size(), fifo.peek()]).toEqual([array.length, array[0]])
      }
    }),
    { numRuns: 30 },
  )
})
