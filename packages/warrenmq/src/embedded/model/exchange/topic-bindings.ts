import { createTopicTrie } from '../../../message/topic-trie.ts'
import { idOfBinding } from './binding.ts'
import type { Binding, BindingTable } from './exchange.ts'

/** Topic bindings by the words of their keys: `*` is one word, `#` any number, none included. */
export function createTopicBindings(): BindingTable {
  const trie = createTopicTrie<Binding>()
  const known = new Map<string, Binding>()

  function remove(binding: Binding): void {
    const id = idOfBinding(binding)
    const found = known.get(id)
    if (!found) return
    known.delete(id)
    trie.remove(found.routingKey, found)
  }

  return {
    add: (binding) => {
      remove(binding)
      known.set(idOfBinding(binding), binding)
      trie.add(binding.routingKey, binding)
    },
    remove,
    match: ({ routingKeys }, onMatch) => {
      for (const key of routingKeys) for (const { destination } of trie.match(key)) onMatch(destination)
    },
  }
}
