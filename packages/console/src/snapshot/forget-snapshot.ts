import type { QueryClient } from '@tanstack/react-query'
import { snapshotKey } from './snapshot-queries.ts'

/** After the reader has changed the queue: whoever comes back to it looks anew. */
export function forgetSnapshot(client: QueryClient, queue: string): void {
  client.removeQueries({ queryKey: snapshotKey(queue) })
}
