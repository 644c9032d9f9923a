import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPublisherGate, type PublisherGate } from './publisher-gate.ts'

/** The rule as it is told: every publisher that is known hears every word at once. */
function createTalkativeGate(): PublisherGate {
  const heard = new Map<object, boolean>()
  const tellAll = (isAdmitted: boolean) => {
    for (const publisher of heard.keys()) heard.set(publisher, isAdmitted)
  }
  return {
    admits: (publisher, isFull) => {
      if (!heard.has(publisher)) heard.set(publisher, !isFull)
      return heard.get(publisher)!
    },
    close: () => tellAll(false),
    open: () => tellAll(true),
    forget: (publisher) => {
      heard.delete(publisher)
    },
  }
}

test('a publisher is let in by the last word that was said since it first came', () => {
  const publishers = [{}, {}, {}]
  const word = fc.record({
    say: fc.constantFrom('admits', 'admits', 'close', 'open', 'forget'),
    publisher: fc.constantFrom(...publishers),
    isFull: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), (words) => {
      const [gate, talkative] = [createPublisherGate(), createTalkativeGate()]
      const follow = (on: PublisherGate) =>
        words.map(({ say, publisher, isFull }) =>
          say === 'admits' ? on.admits(publisher, isFull) : on[say as 'forget'](publisher),
        )
      expect(follow(gate)).toEqual(follow(talkative))
    }),
    { numRuns: 500 },
  )
})
