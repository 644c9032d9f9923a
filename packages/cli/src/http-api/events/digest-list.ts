import { createHash } from 'node:crypto'
import type { FeedItems } from './feed-state.ts'

/** Names what a list holds, in whichever order it does. Enough of a hash for that; it keeps no secret. */
export function digestList(items: FeedItems): string {
  const hash = createHash('sha256')
  for (const id of [...items.keys()].toSorted()) hash.update(`${items.get(id)}\n`)
  return hash.digest('base64url').slice(0, 20)
}

export function digestText(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 20)
}
