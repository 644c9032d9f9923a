import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { addressOfVhost } from '../api/address-of-vhost.ts'
import { queries } from '../api/queries.ts'
import { useSession } from '../app/use-session.ts'
import { formatCount, formatCounted } from '../words/format-count.ts'

/** The vhosts of the server that the reader may see, each with what is dead there; nothing where there is only one. */
export function VhostLinks(): ReactNode {
  const { vhosts } = useSession()
  if (vhosts.length < 2) return null
  return (
    <nav aria-label="Vhosts" className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
      <span aria-hidden="true" className="text-quiet">
        Vhosts
      </span>
      <ul className="flex min-w-0 flex-wrap gap-1.5">
        {vhosts.map(({ name, path, isHere }) => (
          <li key={name} className="min-w-0">
            <a
              href={`${addressOfVhost(vhosts, path)}/console/`}
              aria-current={isHere ? 'page' : undefined}
              className={`flex items-baseline gap-2 rounded-full border px-3 py-0.5 hover:bg-hover ${isHere ? 'border-accent bg-chosen' : 'border-line bg-panel text-quiet'}`}
            >
              <span className="foreign truncate">{name}</span>
              <Total address={addressOfVhost(vhosts, path)} />
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function Total({ address }: { readonly address: string }): ReactNode {
  const { data } = useQuery(queries.totalOfVhost(address))
  if (data === undefined) return null
  return (
    <span
      className={`num text-xs ${data > 0 ? 'text-ink' : 'text-faint'}`}
      title={formatCounted(data, 'dead letter')}
    >
      {formatCount(data)}
      <span className="sr-only"> dead letters</span>
    </span>
  )
}
