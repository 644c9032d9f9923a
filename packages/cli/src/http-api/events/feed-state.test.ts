import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { beginFeed, changesSince, type FeedItems, type FeedState, takeItems } from './feed-state.ts'

const digestOf = (items: FeedItems): string => JSON.stringify([...items].toSorted())
const listOf = (items: Readonly<Record<string, number>>): FeedItems =>
  new Map(Object.entries(items).map(([id, value]) => [id, JSON.stringify({ id, value })]))

function feedOf(...lists: readonly Readonly<Record<string, number>>[]): FeedState {
  const [first = {}, ...others] = lists
  return others.reduce(
    (feed, items) => takeItems(feed, listOf(items), digestOf),
    beginFeed(listOf(first), digestOf),
  )
}

/** What a console has that knew a list and was told a change. */
function follow(known: FeedItems, change: ReturnType<typeof changesSince>): FeedItems {
  if (!change) return known
  const after = new Map(change.isWhole ? [] : known)
  for (const id of change.gone) after.delete(id)
  for (const text of change.items) after.set((JSON.parse(text) as { id: string }).id, text)
  return after
}

describe('who follows a list', () => {
  it('is told all of it at first', () => {
    expect(changesSince(feedOf({ a: 1, b: 1 }), undefined)).toEqual({
      isWhole: true,
      items: [...listOf({ a: 1, b: 1 }).values()],
      gone: [],
    })
  })

  it('is told nothing where nothing has changed', () => {
    const feed = feedOf({ a: 1 }, { a: 1 })

    expect(feed.version).toBe(1)
    expect(changesSince(feed, feed.digest)).toBeUndefined()
  })

  it('is told what has changed since, and what is gone', () => {
    const feed = feedOf({ a: 1, b: 1, c: 1 }, { a: 1, b: 2, c: 1 }, { a: 1, b: 2, d: 1 })

    expect(changesSince(feed, digestOf(listOf({ a: 1, b: 1, c: 1 })))).toEqual({
      isWhole: false,
      items: [...listOf({ b: 2, d: 1 }).values()],
      gone: ['c'],
    })
  })

  it('knows where they are also from another server that has seen the same', () => {
    const here = feedOf({}, { a: 1 }, { a: 2 })
    const there = feedOf({ a: 1 }, { a: 2 }, { a: 2, b: 1 })

    expect(changesSince(there, here.digest)).toMatchObject({ isWhole: false, items: [expect.any(String)] })
  })

  it('is told all of it where what they know is not remembered', () => {
    const old = { a: 0 }
    const many = Array.from({ length: 1_001 }, (_, value) => ({ a: value + 1 }))

    expect(changesSince(feedOf(old, ...many), digestOf(listOf(old)))).toMatchObject({ isWhole: true })
    expect(changesSince(feedOf(old, ...many), digestOf(listOf({ a: 1_000 })))).toMatchObject({
      isWhole: false,
    })
    expect(changesSince(feedOf({ a: 1 }), 'never heard of')).toMatchObject({ isWhole: true })
  })

  it('is told all of it where too many have left since to remember them', () => {
    const many = Object.fromEntries(Array.from({ length: 5_001 }, (_, at) => [`i${at}`, 1]))

    expect(changesSince(feedOf({ a: 1, ...many }, { a: 1 }), digestOf(listOf({ a: 1, ...many })))).toEqual({
      isWhole: true,
      items: [...listOf({ a: 1 }).values()],
      gone: [],
    })
  })

  it('has the list of now after whatever they knew, and is told nothing twice', () => {
    const list = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.integer({ min: 0, max: 2 }))
    fc.assert(
      fc.property(fc.array(list, { minLength: 1, maxLength: 12 }), fc.nat(), (lists, at) => {
        const known = listOf(lists[at % lists.length]!)
        const now = listOf(lists.at(-1)!)
        const change = changesSince(feedOf(...lists), digestOf(known))

        expect(digestOf(follow(known, change))).toBe(digestOf(now))
        const ids = [...(change?.items ?? []), ...(change?.gone ?? [])]
        expect(new Set(ids).size).toBe(ids.length)
      }),
    )
  })
})
