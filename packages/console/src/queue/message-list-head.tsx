import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type SortOrder, usualSort } from './queue-search.ts'

const route = getRouteApi('/queues/$queue')

/** What the columns are, and by which the list is sorted. */
export function MessageListHead(): ReactNode {
  return (
    <div className="flex items-center gap-3 px-4 py-1.5 text-xs text-quiet">
      <span className="w-4" />
      <span className="min-w-0 flex-1">
        <SortButton by="position">Message</SortButton>
      </span>
      <span className="hidden w-40 lg:block">Failed in</span>
      <span className="hidden w-20 text-right md:block">
        <SortButton by="attempts">Attempts</SortButton>
      </span>
      <span className="hidden w-20 text-right md:block">
        <SortButton by="bodyBytes">Size</SortButton>
      </span>
      <span className="w-20 text-right">
        <SortButton by="diedAt">Died</SortButton>
      </span>
    </div>
  )
}

const meanings = {
  position: 'as they lie in the queue',
  attempts: 'by attempts',
  bodyBytes: 'by size',
  diedAt: 'by time of death',
} as const

/** The first click brings the largest, and the head of the queue. */
function SortButton({
  by,
  children,
}: {
  readonly by: keyof typeof meanings
  readonly children: ReactNode
}): ReactNode {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const now = search.sort ?? usualSort
  const isSorted = now === by || now === `-${by}`
  const first: SortOrder = by === 'position' ? by : `-${by}`
  const other: SortOrder = by === 'position' ? '-position' : by
  return (
    <button
      type="button"
      title={`Sort ${meanings[by]}`}
      onClick={() =>
        void navigate({ to: '.', search: { ...search, sort: now === first ? other : first }, replace: true })
      }
      className={`hover:text-ink ${isSorted ? 'font-medium text-ink' : ''}`}
    >
      {children}
      {isSorted && <span aria-hidden="true"> {now.startsWith('-') ? '↓' : '↑'}</span>}
      {isSorted && <span className="sr-only">, sorted {now.startsWith('-') ? 'down' : 'up'}</span>}
    </button>
  )
}
