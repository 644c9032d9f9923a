import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../api/api.ts'
import { AgeText } from '../parts/time-text.tsx'
import { formatAge } from '../words/format-age.ts'
import { formatCount, formatShare } from '../words/format-count.ts'

const route = getRouteApi('/queues/$queue')

/** A cause. A click anywhere on it chooses it, but for the link to one of its messages. */
export function CauseCard({
  cause: { label, count, first, last, sample },
  of,
  isChosen,
  onChoose,
}: {
  readonly cause: Schemas['SnapshotCause']
  readonly of: number
  readonly isChosen: boolean
  readonly onChoose: () => void
}): ReactNode {
  const { queue } = route.useParams()
  const { where } = route.useSearch()
  return (
    <div
      data-chosen={isChosen || undefined}
      className="group relative flex h-full flex-col gap-2.5 rounded-lg border border-line bg-panel p-3 hover:border-edge data-chosen:border-accent data-chosen:bg-chosen"
    >
      <div className="flex items-start gap-3">
        <button
          type="button"
          aria-pressed={isChosen}
          onClick={onChoose}
          title={label}
          className="foreign line-clamp-2 min-w-0 flex-1 text-left font-medium after:absolute after:inset-0 after:rounded-lg focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-accent"
        >
          {label}
        </button>
        <span className="num text-base font-semibold">{formatCount(count)}</span>
      </div>
      <div aria-hidden="true" className="keeps-colour mt-auto h-1 overflow-hidden rounded-full bg-sunken">
        <div
          className="h-full rounded-full bg-accent"
          style={{ width: `${(100 * count) / Math.max(1, of)}%` }}
        />
      </div>
      <div className="flex flex-wrap gap-x-3 text-xs text-quiet">
        <span className="num">{formatShare(count, of)}</span>
        {last !== null && (
          <span>
            {first !== null && ageOf(first) !== ageOf(last) && (
              <>
                <AgeText at={first} isBare /> –{' '}
              </>
            )}
            <AgeText at={last} />
          </span>
        )}
        <Link
          to="/queues/$queue/messages/$key"
          params={{ queue, key: sample }}
          search={where === undefined ? {} : { where }}
          className="relative ml-auto text-accent hover:underline"
        >
          Sample<span className="foreign sr-only"> of {label}</span>
        </Link>
      </div>
    </div>
  )
}

function ageOf(time: string): string {
  return formatAge(Date.now() - Date.parse(time))
}
