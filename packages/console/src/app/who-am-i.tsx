import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api, sessionKey } from '../api/api.ts'
import { done } from '../api/api-problem.ts'
import { forgetBearerToken, readBearerToken } from '../api/bearer-token.ts'
import { useSession } from './use-session.ts'

/** Who the reader is here, and the way out. */
export function WhoAmI(): ReactNode {
  const { name, role, vhost, wayIn, permissions } = useSession()
  const client = useQueryClient()
  const logOut = useMutation({
    mutationFn: async () => {
      if (readBearerToken() === null) done(await api.DELETE('/api/v1/session'))
      forgetBearerToken()
    },
    onSettled: () => {
      client.clear()
      client.setQueryData(sessionKey, null)
    },
  })
  return (
    <div className="flex items-start gap-2 leading-snug">
      <div className="min-w-0 flex-1" title={`You may: ${permissions.join(', ')}`}>
        <p className="foreign truncate font-medium">{wayIn === 'nobody-asked' ? 'Nobody is asked' : name}</p>
        <p className="foreign truncate text-xs text-quiet">
          {role} · vhost {vhost}
        </p>
      </div>
      {wayIn !== 'nobody-asked' && (
        <button
          type="button"
          className="rounded px-1 text-xs text-quiet hover:text-ink hover:underline"
          onClick={() => logOut.mutate()}
        >
          Log out
        </button>
      )}
    </div>
  )
}
