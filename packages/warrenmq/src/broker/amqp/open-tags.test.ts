import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createOpenTags } from './open-tags.ts'

/** What is out, in the plainest way: a set keeps the order of adding. */
function firstOf(tags: ReadonlySet<number>): number {
  for (const tag of tags) return tag
  return Number.POSITIVE_INFINITY
}

describe('the tags of deliveries that are out', () => {
  test('are those of a plain set, whatever comes back when', () => {
    const step = fc.record({
      gap: fc.constantFrom(1, 1, 1, 2, 700, 5_000, 70_000),
      back: fc.option(fc.nat(), { nil: undefined }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
        const tags = createOpenTags()
        const model = new Set<number>()
        let tag = 0
        for (const { gap, back } of steps) {
          tag += gap
          tags.add(tag)
          model.add(tag)
          const choice = back === undefined ? undefined : [...model, tag + 1, 0][back % (model.size + 2)]!
          if (choice !== undefined) expect(tags.delete(choice)).toBe(model.delete(choice))
          expect(tags.first()).toBe(firstOf(model))
          expect(tags.size()).toBe(model.size)
        }
        for (const left of model) expect(tags.delete(left)).toBe(true)
        expect(tags.size()).toBe(0)
        expect(tags.delete(tag)).toBe(false)
      }),
    )
  })

  test('keep one that never comes back, behind a hundred thousand that do', () => {
    const tags = createOpenTags()
    tags.add(1)
    for (let tag = 2; tag <= 200_000; tag += 1) {
      tags.add(tag)
      if (tag > 100) expect(tags.delete(tag - 50)).toBe(true)
    }
    expect(tags.first()).toBe(1)
    expect(tags.delete(1)).toBe(true)
    expect(tags.delete(1)).toBe(false)
    expect(tags.size()).toBeGreaterThan(0)
  })
})
