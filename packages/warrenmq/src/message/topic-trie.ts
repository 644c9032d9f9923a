/** Topic patterns indexed by their words, so that a look-up costs by the length of the key, not by their number. */
export interface TopicTrie<Item> {
  add(pattern: string, item: Item): void
  remove(pattern: string, item: Item): void
  /** Items whose pattern matches the routing key. */
  match(key: string): readonly Item[]
  /** Items whose pattern shares at least one routing key with `pattern`. */
  overlap(pattern: string): readonly Item[]
  /** The words of the longest pattern that was ever added. */
  depth(): number
}

interface Node<Item> {
  readonly children: Map<string, Node<Item>>
  readonly items: Set<Item>
}

export function createTopicTrie<Item>(): TopicTrie<Item> {
  const root = emptyNode<Item>()
  let depth = 0

  return {
    add: (pattern, item) => {
      const words = wordsOf(pattern)
      depth = Math.max(depth, words.length)
      nodeAt(root, words).items.add(item)
    },
    remove: (pattern, item) => removeFrom(root, wordsOf(pattern), item),
    match: (key) => collect(root, wordsOf(key), followKey),
    overlap: (pattern) => collect(root, wordsOf(pattern), followPattern),
    depth: () => depth,
  }
}

// To RabbitMQ the empty key has no word, so '*' does not take it.
function wordsOf(key: string): readonly string[] {
  return key === '' ? [] : key.split('.')
}

function emptyNode<Item>(): Node<Item> {
  return { children: new Map(), items: new Set() }
}

function nodeAt<Item>(root: Node<Item>, words: readonly string[]): Node<Item> {
  let node = root
  for (const word of words) {
    let child = node.children.get(word)
    if (child === undefined) {
      child = emptyNode<Item>()
      node.children.set(word, child)
    }
    node = child
  }
  return node
}

/** Takes out an item, and the branch that led to it as far as nothing else hangs on it. */
function removeFrom<Item>(node: Node<Item>, [word, ...rest]: readonly string[], item: Item): void {
  if (word === undefined) {
    node.items.delete(item)
    return
  }
  const child = node.children.get(word)
  if (!child) return
  removeFrom(child, rest, item)
  if (child.children.size === 0 && child.items.size === 0) node.children.delete(word)
}

/** Where one can go from a node with the word at `at` next: pairs of node and position. */
type Follow = <Item>(node: Node<Item>, word: string, at: number) => Iterable<readonly [Node<Item>, number]>

function collect<Item>(root: Node<Item>, words: readonly string[], follow: Follow): readonly Item[] {
  const found = new Set<Item>()
  const seen = new Map<Node<Item>, Set<number>>()
  const open: (readonly [Node<Item>, number])[] = [[root, 0]]
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    const [node, at] = step
    const positions = seen.get(node) ?? new Set()
    if (positions.has(at)) continue
    seen.set(node, positions.add(at))

    const word = words[at]
    if (word === undefined) for (const item of node.items) found.add(item)
    // A '#' of the trie takes any number of the words that are left, none included.
    const hash = node.children.get('#')
    if (hash !== undefined) for (let next = at; next <= words.length; next++) open.push([hash, next])
    if (word !== undefined) open.push(...follow(node, word, at))
  }
  return [...found]
}

function* followKey<Item>(
  node: Node<Item>,
  word: string,
  at: number,
): Generator<readonly [Node<Item>, number]> {
  const literal = node.children.get(word)
  // A key may itself contain the words '*' and '#'; they are plain words then, and '#' was followed above.
  if (literal !== undefined && word !== '#') yield [literal, at + 1]
  const star = node.children.get('*')
  if (star !== undefined && word !== '*') yield [star, at + 1]
}

function* followPattern<Item>(
  node: Node<Item>,
  word: string,
  at: number,
): Generator<readonly [Node<Item>, number]> {
  if (word === '#') {
    yield [node, at + 1]
    for (const [name, child] of node.children) if (name !== '#') yield [child, at]
    return
  }
  if (word === '*') {
    for (const [name, child] of node.children) if (name !== '#') yield [child, at + 1]
    return
  }
  yield* followKey(node, word, at)
}

/** Stands for a word that no binding names. A pattern that takes it takes every other word in its place. */
export const anyWord = '<any>'

/**
 * Keys that stand for all keys of a pattern: if bindings with at most `depth` words route each of these, they
 * route every key of the pattern. `#` is tried with no word up to one more than any binding spells out.
 */
export function sampleKeys(pattern: string, depth: number): readonly string[] {
  let keys: string[][] = [[]]
  for (const word of wordsOf(pattern)) {
    if (word === '*') keys = keys.map((key) => [...key, anyWord])
    else if (word !== '#') keys = keys.map((key) => [...key, word])
    else
      keys = keys.flatMap((key) =>
        Array.from({ length: depth + 2 }, (_, count) => [...key, ...anyWords(count)]),
      )
  }
  return [...new Set(keys.map((key) => key.join('.')))]
}

function anyWords(count: number): readonly string[] {
  return Array.from({ length: count }, () => anyWord)
}
