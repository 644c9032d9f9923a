import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Binding, Destination } from './exchange.ts'
import { createTopicBindings } from './topic-bindings.ts'

const word = fc.constantFrom('a', 'b', '')
const key = fc.array(word, { maxLength: 4 }).map((words) => words.join('.'))
const pattern = fc
  .array(fc.constantFrom('a', 'b', '', '*', '#'), { maxLength: 4 })
  .map((words) => words.join('.'))

test('a key is matched by exactly the patterns whose words fit it', () => {
  fc.assert(
    fc.property(fc.uniqueArray(pattern, { maxLength: 8 }), key, (patterns, routingKey) => {
      const trie = createTopicBindings()
      for (const text of patterns) trie.add(bindingOf(text))

      const matched = new Set<string>()
      trie.match({ routingKeys: [routingKey], headers: () => [] }, ({ name }) => matched.add(name))

      expect([...matched].sort()).toEqual(
        patterns.filter((text) => fits(wordsOf(text), wordsOf(routingKey))).sort(),
      )
    }),
  )
})

test('what was removed matches no more', () => {
  fc.assert(
    fc.property(fc.uniqueArray(pattern, { minLength: 1, maxLength: 8 }), key, (patterns, routingKey) => {
      const trie = createTopicBindings()
      for (const text of patterns) trie.add(bindingOf(text))
      const [removed, ...kept] = patterns as [string, ...string[]]
      trie.remove(bindingOf(removed))

      const matched = new Set<string>()
      trie.match({ routingKeys: [routingKey], headers: () => [] }, ({ name }) => matched.add(name))

      expect([...matched].sort()).toEqual(
        kept.filter((text) => fits(wordsOf(text), wordsOf(routingKey))).sort(),
      )
    }),
  )
})

function bindingOf(routingKey: string): Binding {
  const named = { name: routingKey, resourceKind: 'queue' }
  return {
    source: { name: 'x' } as Binding['source'],
    destination: named as Destination,
    routingKey,
    arguments: [],
  }
}

function wordsOf(text: string): readonly string[] {
  return text === '' ? [] : text.split('.')
}

/** The rule written down plainly, without a trie. */
function fits([first, ...rest]: readonly string[], words: readonly string[]): boolean {
  if (first === undefined) return words.length === 0
  if (first === '#') return fits(rest, words) || (words.length > 0 && fits([first, ...rest], words.slice(1)))
  return words.length > 0 && (first === '*' || first === words[0]) && fits(rest, words.slice(1))
}
