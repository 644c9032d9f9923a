import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTopicTrie, sampleKeys } from './topic-trie.ts'

const word = fc.constantFrom('a', 'b', 'c')
const patternWord = fc.constantFrom('a', 'b', '*', '#')
const key = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join('.'))
const pattern = fc.array(patternWord, { minLength: 1, maxLength: 4 }).map((words) => words.join('.'))

describe('topic trie', () => {
  it.each([
    ['order.*', 'order.placed', true],
    ['order.*', 'order', false],
    ['order.*', 'order.placed.eu', false],
    ['order.#', 'order', true],
    ['order.#', 'order.placed.eu', true],
    ['#', '', true],
    ['#', 'anything.at.all', true],
    ['*', '', false],
    ['', '', true],
    ['*.retry', 'user.retry', true],
    ['#.retry', 'retry', true],
    ['#.*', 'a', true],
    ['a.#.b', 'a.b', true],
    ['a.#.b', 'a.x.y.b', true],
    ['a.#.b', 'a.x.y', false],
    ['a.b', 'a.b', true],
    ['a.b', 'A.b', false],
  ])('%s takes %s: %s', (pattern, key, isMatch) => {
    const trie = createTopicTrie<string>()
    trie.add(pattern, 'it')

    expect(trie.match(key)).toEqual(isMatch ? ['it'] : [])
  })

  it('an item is found once, however many ways lead to it', () => {
    const trie = createTopicTrie<string>()
    trie.add('#.#', 'it')

    expect(trie.match('a.b.c')).toEqual(['it'])
  })

  it('matches as a plain reading of the rule does', () => {
    fc.assert(
      fc.property(fc.array(pattern), key, (patterns, key) => {
        const trie = createTopicTrie<number>()
        for (const [index, pattern] of patterns.entries()) trie.add(pattern, index)

        const expected = [...patterns.keys()].filter((index) =>
          takes(patterns[index]?.split('.') ?? [], key.split('.')),
        )
        expect([...trie.match(key)].sort()).toEqual(expected.sort())
      }),
    )
  })

  it('patterns overlap exactly where some key is taken by both', () => {
    const words = ['a', 'b', 'c']
    const keysOf = (length: number): string[] =>
      length === 0
        ? ['']
        : keysOf(length - 1).flatMap((rest) => words.map((word) => (rest ? `${rest}.${word}` : word)))
    const keys = [1, 2, 3, 4, 5].flatMap(keysOf)
    const shortPattern = fc.array(patternWord, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.'))
    fc.assert(
      fc.property(shortPattern, shortPattern, (left, right) => {
        const trie = createTopicTrie<string>()
        trie.add(left, 'left')

        const share = keys.some(
          (key) => takes(left.split('.'), key.split('.')) && takes(right.split('.'), key.split('.')),
        )
        // Two patterns of nothing but '#' share only the key without words, which has no text.
        const onlyEmpty = [left, right].every((each) => /^#(\.#)*$/.test(each))
        expect(trie.overlap(right).length > 0).toBe(share || onlyEmpty)
      }),
      { numRuns: 200 },
    )
  })

  it('if every sample of a pattern is routed, every key of it is', () => {
    fc.assert(
      fc.property(
        fc.array(pattern, { minLength: 1, maxLength: 3 }),
        pattern,
        key,
        (bindings, published, key) => {
          const trie = createTopicTrie<string>()
          for (const binding of bindings) trie.add(binding, binding)
          const samples = sampleKeys(published, trie.depth())
          fc.pre(takes(published.split('.'), key.split('.')))
          fc.pre(samples.every((sample) => trie.match(sample).length > 0))

          expect(trie.match(key)).not.toEqual([])
        },
      ),
    )
  })
})

function takes(pattern: readonly string[], key: readonly string[]): boolean {
  const [head, ...rest] = pattern
  if (head === undefined) return key.length === 0
  if (head === '#')
    return Array.from({ length: key.length + 1 }, (_, at) => at).some((at) => takes(rest, key.slice(at)))
  return key.length > 0 && (head === '*' || head === key[0]) && takes(rest, key.slice(1))
}
