import { idOfBinding } from './binding.ts'
import type { Binding, BindingTable, Destination } from './exchange.ts'

interface TrieNode {
  readonly children: Map<string, TrieNode>
  readonly bindings: Map<string, Binding>
}

/** Topic bindings by the words of their keys: `*` is one word, `#` any number, none included. */
export function createTopicTrie(): BindingTable {
  const root = createNode()

  function find(words: readonly string[], isMade: boolean): TrieNode | undefined {
    let node = root
    for (const word of words) {
      let child = node.children.get(word)
      if (!child) {
        if (!isMade) return undefined
        child = createNode()
        node.children.set(word, child)
      }
      node = child
    }
    return node
  }

  return {
    add: (binding) => {
      find(wordsOf(binding.routingKey), true)!.bindings.set(idOfBinding(binding), binding)
    },
    remove: (binding) => {
      const words = wordsOf(binding.routingKey)
      find(words, false)?.bindings.delete(idOfBinding(binding))
      prune(root, words, 0)
    },
    match: ({ routingKeys }, onMatch) => {
      for (const key of routingKeys) walk(root, wordsOf(key), 0, onMatch)
    },
  }
}

function createNode(): TrieNode {
  return { children: new Map(), bindings: new Map() }
}

/** RabbitMQ splits an empty key into no words, and `a..b` into three. */
function wordsOf(key: string): readonly string[] {
  return key === '' ? [] : key.split('.')
}

function walk(
  node: TrieNode,
  words: readonly string[],
  at: number,
  onMatch: (destination: Destination) => void,
): void {
  if (at === words.length) {
    for (const { destination } of node.bindings.values()) onMatch(destination)
  } else {
    const exact = node.children.get(words[at]!)
    if (exact) walk(exact, words, at + 1, onMatch)
    const anyWord = node.children.get('*')
    if (anyWord) walk(anyWord, words, at + 1, onMatch)
  }
  const anyWords = node.children.get('#')
  if (!anyWords) return
  for (let rest = at; rest <= words.length; rest += 1) walk(anyWords, words, rest, onMatch)
}

/** Takes out the branch of `words` as far as nothing hangs on it any more. */
function prune(node: TrieNode, words: readonly string[], at: number): void {
  if (at === words.length) return
  const child = node.children.get(words[at]!)
  if (!child) return
  prune(child, words, at + 1)
  if (child.children.size === 0 && child.bindings.size === 0) node.children.delete(words[at]!)
}
