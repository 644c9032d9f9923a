import type { QueryClient } from '@tanstack/react-query'
import { type Schemas, sessionKey } from '../api/api.ts'
import { queries } from '../api/queries.ts'

/** From now on the pages are this person's, or nobody's. What the person before was shown is forgotten. */
export function changePerson(client: QueryClient, session: Schemas['CurrentSession'] | null): void {
  const kept: readonly unknown[] = [sessionKey[0], queries.loginWays().queryKey[0]]
  client.removeQueries({ predicate: ({ queryKey }) => !kept.includes(queryKey[0]) })
  client.setQueryData(sessionKey, session)
}
