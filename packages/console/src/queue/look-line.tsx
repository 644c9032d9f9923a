import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../api/api.ts'
import { ClockText } from '../parts/time-text.tsx'
import { formatCount, formatCounted } from '../words/format-count.ts'
import type { QueueLook } from './use-queue-look.ts'

const route = getRouteApi('/queues/$queue')

/** What is shown, of how many, as of when, and what has become of the queue since. */
export function LookLine({
  look: { snapshot, matched, searched, isLooking, lookAgain },
}: {
  readonly look: QueueLook
}): ReactNode {
  if (!snapshot) return null
  return (
    <div className="-mb-2 flex flex-wrap items-baseline gap-x-4 gap-y-1 text-quiet">
      <p role="status" className="num">
        <Matching snapshot={snapshot} matched={matched} searched={searched} />
      </p>
      <Selected />
      <p className="num ml-auto">
        {snapshot.state === 'running' ? (
          `${formatCount(snapshot.progress.seen)} of ${formatCount(snapshot.progress.present)} seen so far`
        ) : (
          <>
            As of <ClockText at={snapshot.asOf} />
            {saySince(snapshot)}.{' '}
            <button
              type="button"
              className="text-accent hover:underline"
              aria-disabled={isLooking}
              onClick={lookAgain}
            >
              Look again
            </button>
          </>
        )}
      </p>
    </div>
  )
}

function Matching({
  snapshot: { messages, isWhole, state },
  matched,
  searched,
}: {
  readonly snapshot: Schemas['Snapshot']
  readonly matched: number | undefined
  readonly searched: number | undefined
}): ReactNode {
  const { where } = route.useSearch()
  return (
    <>
      <span className="font-medium text-ink">
        {where === undefined
          ? state === 'running'
            ? 'Looking at the queue'
            : formatCounted(messages, 'message')
          : `${matched === undefined ? '…' : formatCount(matched)} of ${formatCount(messages)} match`}
      </span>
      {searched !== undefined && `; searched ${formatCount(searched)} so far`}
      {!isWhole && state === 'done' && ' of those seen: the look ended before it had seen all'}
    </>
  )
}

function saySince({ since: { change } }: Schemas['Snapshot']): string {
  if (change === null || change === 0) return ''
  return `, ${formatCount(Math.abs(change))} ${change > 0 ? 'more' : 'fewer'} since`
}

function Selected(): ReactNode {
  const { selected = [], ...unselected } = route.useSearch()
  const navigate = route.useNavigate()
  if (selected.length === 0) return null
  return (
    <p className="text-accent">
      {formatCount(selected.length)} selected.{' '}
      <button
        type="button"
        className="underline"
        onClick={() => void navigate({ to: '.', search: unselected, replace: true })}
      >
        Select none
      </button>
    </p>
  )
}
