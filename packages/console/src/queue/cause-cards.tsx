import { type ReactNode, useState } from 'react'
import type { Schemas } from '../api/api.ts'
import { SectionTitle } from '../parts/page.tsx'
import { CauseCard } from './cause-card.tsx'
import { toggleTerm } from './filter-of-ids.ts'

const mostAtFirst = 6

export function CauseCards({
  causes: list,
  where,
  onChoose,
}: {
  readonly causes: Schemas['CauseList'] | undefined
  readonly where: string | undefined
  readonly onChoose: (where: string | undefined) => void
}): ReactNode {
  const [areAllShown, setAreAllShown] = useState(false)
  if (!list || list.causes.length === 0) return null
  const { causes, seen } = list
  const shown = areAllShown ? causes : causes.slice(0, mostAtFirst)
  return (
    <section aria-label="Causes">
      <SectionTitle beside={causes.length > 1 && 'Choose one to see only its messages'}>
        Why they died
      </SectionTitle>
      <ul className="grid grid-cols-1 gap-2 sm:grid-cols-2 lg:grid-cols-3">
        {shown.map((cause) => {
          const term = `cause:${cause.id}`
          return (
            <li key={cause.id} className="min-w-0">
              <CauseCard
                cause={cause}
                of={seen}
                isChosen={where === term}
                onChoose={() => onChoose(toggleTerm(where, term))}
              />
            </li>
          )
        })}
      </ul>
      {shown.length < causes.length && (
        <button
          type="button"
          className="mt-2 text-accent hover:underline"
          onClick={() => setAreAllShown(true)}
        >
          Show {causes.length - shown.length} more
        </button>
      )}
    </section>
  )
}
