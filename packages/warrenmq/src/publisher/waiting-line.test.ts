import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { PendingPublish } from './pending-publish.ts'
import { createWaitingLine } from './waiting-line.ts'

const publishOf = (bytes: number) => ({ bytes, isOver: false }) as PendingPublish

it('a line gives publishes in their order, without those taken out, and counts what is left', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('push' as const), bytes: fc.nat(9) }),
    fc.record({ kind: fc.constant('unshift' as const), bytes: fc.nat(9) }),
    fc.record({ kind: fc.constant('shift' as const) }),
    fc.record({ kind: fc.constant('remove' as const), at: fc.nat(9) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const line = createWaitingLine({ messages: 10, bytes: 40 })
      const expected: PendingPublish[] = []
      for (const one of steps) {
        if (one.kind === 'push' || one.kind === 'unshift') {
          const publish = publishOf(one.bytes)
          expected[one.kind](publish)
          line[one.kind](publish)
        } else if (one.kind === 'shift') expect(line.shift()).toBe(expected.shift())
        else {
          const [removed] = expected.splice(one.at, 1)
          if (removed) line.remove(removed)
        }
        const bytes = expected.reduce((sum, publish) => sum + publish.bytes, 0)
        expect(line.size()).toBe(expected.length)
        expect(line.peek()).toBe(expected[0])
        expect(line.isFull()).toBe(expected.length >= 10 || bytes > 20)
        expect(line.hasRoomFor(publishOf(5))).toBe(expected.length < 10 && bytes + 5 <= 40)
      }
    }),
  )
})
