import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { TimeText } from '../parts/time-text.tsx'
import { formatCount, formatCounted } from '../words/format-count.ts'
import type { QueueLook } from './use-queue-look.ts'

const route = getRouteApi('/queues/$queue')

/** What is shown, of how many, and as of when. */
export function LookLine({
  look: { matching, present, isWhole, asOf, isLooking, lookAgain },
  isFiltered,
}: {
  readonly look: QueueLook
  readonly isFiltered: boolean
}): ReactNode {
  const { selected = [], ...unselected } = route.useSearch()
  const navigate = route.useNavigate()
  if (matching === undefined || present === undefined) return null
  return (
    <div className="-mb-2 flex flex-wrap items-baseline gap-x-4 gap-y-1 text-quiet">
      <p role="status" className="num">
        <span className="font-medium text-ink">
          {isFiltered
            ? `${formatCount(matching)} of ${formatCount(present)} match`
            : formatCounted(present, 'message')}
        </span>
        {!isWhole && ' of those seen: the look ended before it had seen all'}
      </p>
      {selected.length > 0 && (
        <p className="text-accent">
          {formatCount(selected.length)} selected; the list stands still.{' '}
          <button
            type="button"
            className="underline"
            onClick={() => void navigate({ to: '.', search: unselected, replace: true })}
          >
            Select none
          </button>
        </p>
      )}
      <p className="ml-auto">
        {isLooking ? (
          'Looking…'
        ) : (
          <>
            As of <TimeText at={new Date(asOf).toISOString()} />.{' '}
            <button type="button" className="text-accent hover:underline" onClick={lookAgain}>
              Look again
            </button>
          </>
        )}
      </p>
    </div>
  )
}
