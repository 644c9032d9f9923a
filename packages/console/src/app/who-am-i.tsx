import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useId } from 'react'
import { api } from '../api/api.ts'
import { done } from '../api/api-problem.ts'
import { forgetBearerToken, readBearerToken } from '../api/bearer-token.ts'
import { changePerson } from './change-person.ts'
import { deeds, useSession } from './use-session.ts'

/** Who the reader is here, and the way out. */
export function WhoAmI(): ReactNode {
  const { name, role, vhost, wayIn, permissions } = useSession()
  const client = useQueryClient()
  const id = useId()
  const logOut = useMutation({
    mutationFn: async () => {
      if (readBearerToken() === null) done(await api.DELETE('/api/v1/session'))
      forgetBearerToken()
    },
    onSettled: () => changePerson(client, null),
  })
  return (
    <div className="flex items-start gap-2 leading-snug">
      <button
        type="button"
        popoverTarget={id}
        className="min-w-0 flex-1 rounded text-left"
        title="What you may do"
      >
        <span className="foreign block truncate font-medium">
          {wayIn === 'nobody-asked' ? 'No login needed' : name}
        </span>
        <span className="foreign block truncate text-xs text-quiet">
          {role} · vhost {vhost}
        </span>
      </button>
      {wayIn !== 'nobody-asked' && (
        <button
          type="button"
          className="rounded px-1 text-xs text-quiet hover:text-ink hover:underline"
          onClick={() => logOut.mutate()}
        >
          Log out
        </button>
      )}
      <div
        id={id}
        popover="auto"
        className="fixed inset-auto bottom-16 left-3 m-0 w-64 rounded-lg border border-line bg-panel p-3 text-ink shadow-xl"
      >
        <p className="foreign mb-2 font-medium">What {wayIn === 'nobody-asked' ? 'you' : name} may do here</p>
        <ul className="flex flex-col gap-1">
          {Object.entries(deeds).map(([permission, deed]) => {
            const isAllowed = permissions.includes(permission as keyof typeof deeds)
            return (
              <li key={permission} className={`flex gap-2 ${isAllowed ? '' : 'text-faint'}`}>
                <span aria-hidden="true" className={`w-3 ${isAllowed ? 'text-good' : ''}`}>
                  {isAllowed ? '✓' : '–'}
                </span>
                {deed}
                <span className="sr-only">{isAllowed ? ': yes' : ': no'}</span>
              </li>
            )
          })}
        </ul>
      </div>
    </div>
  )
}
