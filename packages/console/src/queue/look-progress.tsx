import type { ReactNode } from 'react'
import type { Schemas } from '../api/api.ts'
import { formatCount } from '../words/format-count.ts'

/** How far the look is that writes the snapshot; what was seen so far is counted below it. */
export function LookProgress({
  snapshot: {
    progress: { present, seen },
  },
}: {
  readonly snapshot: Pick<Schemas['Snapshot'], 'progress'>
}): ReactNode {
  const share = Math.min(100, (100 * seen) / Math.max(1, present))
  return (
    <div
      role="progressbar"
      aria-label="Looking at the messages"
      aria-valuenow={Math.round(share)}
      aria-valuetext={`${formatCount(seen)} of ${formatCount(present)}`}
      className="keeps-colour h-1 overflow-hidden rounded-full bg-sunken"
    >
      <div className="h-full rounded-full bg-accent transition-[width]" style={{ width: `${share}%` }} />
    </div>
  )
}
