import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../api/api.ts'
import { AgeText } from '../parts/time-text.tsx'
import { formatBytes } from '../words/format-bytes.ts'

const route = getRouteApi('/queues/$queue')

export function MessageRow({
  message: { key, id, type, routingKey, cause, diedAt, attempts, bodyBytes, failedIn },
  isSelected,
  onSelect,
}: {
  readonly message: Schemas['SnapshotMessage']
  readonly isSelected: boolean
  readonly onSelect: () => void
}): ReactNode {
  const { queue } = route.useParams()
  const { where } = route.useSearch()
  const name = id ?? 'without an id'
  return (
    <div className="flex h-full items-center gap-3 px-4">
      <input
        type="checkbox"
        checked={isSelected}
        onChange={onSelect}
        tabIndex={-1}
        aria-label={`Select the message ${name}`}
        className="size-4 shrink-0 accent-action"
      />
      <div className="min-w-0 flex-1">
        <p className="flex gap-2">
          <Link
            to="/queues/$queue/messages/$key"
            params={{ queue, key }}
            search={where === undefined ? {} : { where }}
            tabIndex={-1}
            className="foreign min-w-0 truncate font-medium hover:underline"
          >
            {type ?? routingKey}
          </Link>
          <span className="foreign min-w-0 truncate font-mono text-xs leading-5 text-quiet">{name}</span>
        </p>
        <p className="foreign truncate text-xs text-quiet">{cause.label}</p>
      </div>
      <span className="foreign hidden w-40 truncate text-quiet lg:block" title={failedIn ?? undefined}>
        {failedIn ?? '–'}
      </span>
      <span className="num hidden w-16 text-right text-quiet md:block">{attempts ?? '–'}</span>
      <span className="num hidden w-20 text-right text-quiet md:block">{formatBytes(bodyBytes)}</span>
      <span className="w-20 text-right text-quiet">
        <AgeText at={diedAt} />
      </span>
    </div>
  )
}
