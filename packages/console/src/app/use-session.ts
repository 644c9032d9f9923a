import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '../api/api.ts'
import { queries } from '../api/queries.ts'

type Session = Schemas['CurrentSession']

/** Who is logged in. Only for pages, which are shown to nobody else. */
export function useSession(): Session {
  const { data } = useQuery(queries.session())
  if (!data) throw new Error('A page is shown to somebody who is not logged in.')
  return data
}

const deeds: Readonly<Partial<Record<Schemas['Permission'], string>>> = {
  'dlq:redrive': 're-drive messages',
  'dlq:backup': 'read backups',
  'dlq:discard': 'remove messages',
  'dlq:restore': 'restore messages',
  'topology:apply': 'change the topology',
  'payload:read': 'see message bodies',
  'topology:read': 'see the topology',
  'audit:read': 'read the audit log',
}

/** Why the reader may not do this, as a sentence; undefined: they may. */
export function useForbidden(permission: Schemas['Permission']): string | undefined {
  const { role, permissions } = useSession()
  if (permissions.includes(permission)) return undefined
  return `The role “${role}” may not ${deeds[permission] ?? permission}.`
}
