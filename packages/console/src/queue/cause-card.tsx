import type { ReactNode } from 'react'
import type { Schemas } from '../api/api.ts'
import { AgeText } from '../parts/time-text.tsx'
import { formatCount, formatShare } from '../words/format-count.ts'

export function CauseCard({
  cause: { label, count, first, last },
  of,
  isChosen,
  onChoose,
}: {
  readonly cause: Schemas['CauseCount']
  readonly of: number
  readonly isChosen: boolean
  readonly onChoose: () => void
}): ReactNode {
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={onChoose}
      className="flex h-full w-full flex-col gap-2 rounded-lg border border-line bg-panel p-3 text-left hover:border-edge aria-pressed:border-accent aria-pressed:bg-chosen"
    >
      <span className="flex w-full items-start gap-3">
        <span className="foreign line-clamp-2 min-w-0 flex-1 font-medium">{label}</span>
        <span className="num text-base font-semibold">{formatCount(count)}</span>
      </span>
      <span aria-hidden="true" className="mt-auto block h-1 w-full overflow-hidden rounded-full bg-sunken">
        <span
          className="block h-full rounded-full bg-accent"
          style={{ width: `${(100 * count) / Math.max(1, of)}%` }}
        />
      </span>
      <span className="flex w-full flex-wrap justify-between gap-x-3 text-xs text-quiet">
        <span className="num">{formatShare(count, of)}</span>
        {last !== null && (
          <span>
            {first !== null && first !== last && (
              <>
                first <AgeText at={first} />,{' '}
              </>
            )}
            last <AgeText at={last} />
          </span>
        )}
      </span>
    </button>
  )
}
