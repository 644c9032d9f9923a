import { useQuery } from '@tanstack/react-query'
import type { KnownSession, Schemas } from '../api/api.ts'
import { queries } from '../api/queries.ts'

/** Who is logged in. Only for pages, which are shown to nobody else. */
export function useSession(): KnownSession {
  const { data } = useQuery(queries.session())
  if (!data) throw new Error('A page is shown to somebody who is not logged in.')
  return data
}

/** What each permission allows, in words. */
export const deeds: Readonly<Record<Schemas['Permission'], string>> = {
  'dlq:read': 'see dead-letter queues',
  'payload:read': 'see message bodies',
  'dlq:redrive': 're-drive messages',
  'dlq:discard': 'remove messages',
  'dlq:backup': 'read backups',
  'dlq:restore': 'restore messages',
  'dlq:admin': 'use the API for administrators',
  'topology:read': 'see the topology',
  'topology:apply': 'change the topology',
  'audit:read': 'read the audit log',
}

/** Why the reader may not do this, as a sentence; undefined: they may. */
export function useForbidden(permission: Schemas['Permission']): string | undefined {
  const { role, permissions } = useSession()
  if (permissions.includes(permission)) return undefined
  return `The role “${role}” may not ${deeds[permission]}.`
}
