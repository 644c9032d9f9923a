import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createConfirmLedger } from './confirm-ledger.ts'

const answer = fc.record({ tag: fc.integer({ min: 0, max: 60 }), multiple: fc.boolean() })
const step = fc.oneof(fc.constant('publish' as const), fc.constant('give up' as const), answer)

describe('the confirm ledger', () => {
  it('hands out each publish exactly once, whatever the broker answers', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), fc.integer({ min: 1, max: 16 }), (steps, capacity) => {
        const ledger = createConfirmLedger<number>(capacity)
        const open = new Set<number>()
        let published = 0
        for (const each of steps) {
          if (each === 'publish') {
            if (!ledger.hasRoom()) continue
            published += 1
            expect(ledger.add(published)).toBe(published)
            open.add(published)
          } else if (each === 'give up') {
            const oldest = ledger.oldest()
            expect(oldest).toBe(open.values().next().value)
            if (oldest !== undefined) open.delete(oldest)
            ledger.takeOldest()
          } else {
            const taken: number[] = []
            ledger.take(each.tag, each.multiple, (entry) => taken.push(entry))
            const due = [...open].filter((tag) => tag === each.tag || (each.multiple && tag < each.tag))
            // An answer to a number that was never given is no answer to those before it.
            expect(taken).toEqual(each.tag <= published ? due : [])
            for (const tag of taken) open.delete(tag)
          }
          expect(ledger.size()).toBe(open.size)
        }
      }),
      { numRuns: 2_000 },
    )
  })
})
