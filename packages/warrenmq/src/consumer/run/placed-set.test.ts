import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createPlacedSet, type Placed } from './placed-set.ts'

it('holds what was added and not deleted, whatever comes and goes', () => {
  const steps = fc.array(fc.tuple(fc.boolean(), fc.nat(9)), { maxLength: 60 })
  fc.assert(
    fc.property(steps, (choices) => {
      const set = createPlacedSet<Placed & { id: number }>()
      const items = Array.from({ length: 10 }, (_, id) => ({ id, place: -1 }))
      const expected = new Set<number>()
      for (const [isAdded, id] of choices) {
        if (!isAdded) {
          set.delete(items[id]!)
          expected.delete(id)
        } else if (!expected.has(id)) {
          set.add(items[id]!)
          expected.add(id)
        }
      }
      const ids = set.list().map(({ id }) => id)
      expect(ids.toSorted()).toEqual([...expected].toSorted())
      expect(set.size()).toBe(expected.size)
    }),
  )
})
