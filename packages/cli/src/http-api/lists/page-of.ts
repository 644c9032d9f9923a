import { ApiError } from 'warrenmq/operations'
import type { ListQuery } from '../contract/contract.ts'
import { isWithin, readPeriod } from './read-period.ts'

/** How the things of a list are told apart, and put in order. */
export interface ListOrder<Item> {
  /** Names the list in its cursors, so that one of another list is known as such. */
  readonly list: string
  readonly at: (item: Item) => string
  readonly id: (item: Item) => string
}

export interface ListPage<Item> {
  /** The newest first. */
  readonly items: readonly Item[]
  readonly nextCursor: string | null
}

/**
 * A page of a list, from the place that the cursor names: behind one thing, and not behind so many, so that what comes in
 * meanwhile neither doubles anything nor leaves anything out.
 */
export function pageOf<Item>(
  all: readonly Item[],
  { from, to, limit, cursor }: ListQuery,
  order: ListOrder<Item>,
): ListPage<Item> {
  const period = readPeriod({ from, to })
  const last = cursor === undefined ? undefined : readCursor(cursor, order.list)
  const found = all
    .filter((item) => isWithin(order.at(item), period) && (!last || isBehind(placeOf(item, order), last)))
    .toSorted((left, right) => (isBehind(placeOf(left, order), placeOf(right, order)) ? 1 : -1))
  const items = found.slice(0, limit)
  const isEnd = found.length <= limit
  return { items, nextCursor: isEnd ? null : writeCursor(placeOf(items.at(-1)!, order), order.list) }
}

/** The time of a thing, and its id: several may have begun in one moment. */
type Place = readonly [at: string, id: string]

function placeOf<Item>(item: Item, { at, id }: ListOrder<Item>): Place {
  return [at(item), id(item)]
}

function isBehind([at, id]: Place, [otherAt, otherId]: Place): boolean {
  return at === otherAt ? id < otherId : at < otherAt
}

function writeCursor(place: Place, list: string): string {
  return Buffer.from(JSON.stringify([list, ...place])).toString('base64url')
}

function readCursor(cursor: string, list: string): Place {
  const [ofList, at, id, ...more] = parts(cursor)
  if (ofList === list && typeof at === 'string' && typeof id === 'string' && more.length === 0)
    return [at, id]
  throw new ApiError({
    code: 'API_REQUEST_INVALID',
    message:
      'query.cursor is not a cursor of this list. Send the nextCursor of the previous page unchanged, or leave it out for the first page.',
  })
}

function parts(cursor: string): readonly unknown[] {
  try {
    const read: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(read) ? read : []
  } catch {
    return []
  }
}
