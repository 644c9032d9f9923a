import type { ReactNode } from 'react'
import { serverAddress } from '../api/server-address.ts'
import { useForbidden, useSession } from '../app/use-session.ts'
import { Button } from '../parts/button.tsx'

/** Brings a file. A link sends the cookie and no token, so it is for whoever logged in with an account. */
export function DownloadLink({ path, hint }: { readonly path: string; readonly hint: string }): ReactNode {
  const forbidden = useForbidden('dlq:backup')
  const { csrfToken, wayIn } = useSession()
  const off =
    forbidden ??
    (csrfToken === null && wayIn === 'token' ? 'Log in with an account to download files.' : undefined)
  if (off) return <Button offBecause={off}>Download</Button>
  return (
    <a
      href={`${serverAddress}${path}`}
      download
      title={hint}
      className="inline-flex h-8 items-center rounded-md border border-line bg-panel px-3 font-medium hover:bg-hover"
    >
      Download
    </a>
  )
}
