import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../api/api.ts'
import { nameOfMessage } from '../message/name-of-message.ts'
import { LongName } from '../parts/long-name.tsx'
import { AgeText } from '../parts/time-text.tsx'
import { formatBytes } from '../words/format-bytes.ts'

const route = getRouteApi('/queues/$queue')

export function MessageRow({
  message,
  isSelected,
  onSelect,
}: {
  readonly message: Schemas['SnapshotMessage']
  readonly isSelected: boolean
  readonly onSelect: () => void
}): ReactNode {
  const { queue } = route.useParams()
  const { where } = route.useSearch()
  const { key, id, cause, diedAt, attempts, bodyBytes, failedIn } = message
  const name = nameOfMessage(message, queue)
  const secondName = id ?? 'without an id'
  return (
    <div className="flex h-full items-center gap-3 px-4">
      <input
        type="checkbox"
        checked={isSelected}
        onChange={onSelect}
        tabIndex={-1}
        aria-label={`Select the message ${secondName}`}
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
            {name}
          </Link>
          {name !== id && (
            <span className="foreign min-w-0 truncate font-mono text-xs leading-5 text-quiet">
              {secondName}
            </span>
          )}
        </p>
        <p className="foreign truncate text-xs text-quiet">{cause.label}</p>
      </div>
      <span className="hidden w-40 text-quiet lg:block">
        {failedIn === null ? '–' : <LongName name={failedIn} />}
      </span>
      <span className="num hidden w-20 text-right text-quiet md:block">{attempts ?? '–'}</span>
      <span className="num hidden w-20 text-right text-quiet md:block">{formatBytes(bodyBytes)}</span>
      <span className="w-20 text-right text-quiet">
        <AgeText at={diedAt} />
      </span>
    </div>
  )
}
