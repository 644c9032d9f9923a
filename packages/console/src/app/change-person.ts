import type { QueryClient } from '@tanstack/react-query'
import { type KnownSession, type Schemas, sessionKey } from '../api/api.ts'
import { queries } from '../api/queries.ts'

type Session = Schemas['CurrentSession']

/** From now on the pages are this person's, or nobody's. What another person was shown before is forgotten. */
export function changePerson(client: QueryClient, session: Session | null): void {
  const before = client.getQueryData<KnownSession | null>(sessionKey)
  if (before && session && isSamePerson(before, session)) {
    client.setQueryData(sessionKey, session)
    void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] })
    return
  }
  const kept: readonly unknown[] = [sessionKey[0], queries.loginWays().queryKey[0]]
  client.removeQueries({ predicate: ({ queryKey }) => !kept.includes(queryKey[0]) })
  client.setQueryData(sessionKey, session)
}

/** With the same rights: what was shown to them may be shown to them again. */
function isSamePerson(one: Session, other: Session): boolean {
  return one.name === other.name && one.role === other.role && one.wayIn === other.wayIn
}
