/** What has become of a list, as the stream of events tells it. */
export interface ListChange<Item> {
  readonly isWhole: boolean
  readonly items: readonly Item[]
  readonly gone: readonly string[]
}

/** The list after the change: what is new comes first, and what is known keeps its place. */
export function applyListChange<Item>(
  list: readonly Item[],
  { isWhole, items, gone }: ListChange<Item>,
  nameOf: (item: Item) => string,
): readonly Item[] {
  if (isWhole) return items
  const changed = new Map(items.map((item) => [nameOf(item), item]))
  const known = new Set(list.map(nameOf))
  const left = new Set(gone)
  return [
    ...items.filter((item) => !known.has(nameOf(item))),
    ...list.filter((item) => !left.has(nameOf(item))).map((item) => changed.get(nameOf(item)) ?? item),
  ]
}
