import { type ReactNode, useState } from 'react'
import type { Schemas } from '../api/api.ts'
import { quoteFilterValue } from '../filter/quote-filter-value.ts'
import { hasTerm, toggleTerms } from '../filter/split-terms.ts'
import { SectionTitle } from '../parts/page.tsx'
import { formatCounted } from '../words/format-count.ts'
import { CauseCard } from './cause-card.tsx'

const mostAtFirst = 3

export function CauseCards({
  causes: list,
  where,
  onFilter,
}: {
  readonly causes: Schemas['SnapshotCauses'] | undefined
  readonly where: string | undefined
  readonly onFilter: (where: string | undefined) => void
}): ReactNode {
  const [areAllShown, setAreAllShown] = useState(false)
  if (!list || list.causes.length === 0) return null
  const { causes, matched } = list
  const termOf = ({ id }: Schemas['SnapshotCause']): string => `cause:${quoteFilterValue(id)}`
  // What is chosen stays in sight.
  const shown = causes.filter(
    (cause, index) => areAllShown || index < mostAtFirst || hasTerm(where, termOf(cause)),
  )
  const hidden = causes.length - shown.length
  return (
    <section aria-label="Causes">
      <SectionTitle
        beside={formatCounted(causes.length, 'cause')}
        action={
          causes.length > mostAtFirst && (
            <button
              type="button"
              aria-expanded={areAllShown}
              className="text-accent hover:underline"
              onClick={() => setAreAllShown(!areAllShown)}
            >
              {areAllShown ? 'Show fewer' : `Show ${hidden} more`}
            </button>
          )
        }
      >
        Why they died
      </SectionTitle>
      <ul className="grid grid-cols-1 gap-2 sm:grid-cols-2 lg:grid-cols-3">
        {shown.map((cause) => (
          <li key={cause.id} className="min-w-0">
            <CauseCard
              cause={cause}
              of={matched}
              isChosen={hasTerm(where, termOf(cause))}
              onChoose={() => onFilter(toggleTerms(where, 'cause', [termOf(cause)]))}
            />
          </li>
        ))}
      </ul>
    </section>
  )
}
