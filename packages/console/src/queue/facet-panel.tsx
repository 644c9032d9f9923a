import type { ReactNode } from 'react'
import type { Schemas } from '../api/api.ts'
import { quoteFilterValue } from '../filter/quote-filter-value.ts'
import { hasTerm, toggleTerms } from '../filter/split-terms.ts'
import { formatCount } from '../words/format-count.ts'

type Facet = Schemas['SnapshotFacets']['facets'][number]

/** Causes have cards. */
const names: Readonly<Partial<Record<Facet['field'], string>>> = {
  type: 'Type',
  queue: 'Failed in',
  key: 'Routing key',
  exchange: 'Exchange',
  attempts: 'Attempts',
}
const most = 6
const mostHeaders = 6

/** Which values they have; a click on one writes it into the filter. */
export function FacetPanel({
  facets: list,
  where,
  onFilter,
}: {
  readonly facets: Schemas['SnapshotFacets'] | undefined
  readonly where: string | undefined
  readonly onFilter: (where: string | undefined) => void
}): ReactNode {
  if (!list || list.matched === 0) return null
  // A value that all of them have tells nothing, unless it was chosen.
  const telling = list.facets
    .filter(
      (facet) =>
        titleOf(facet) !== undefined &&
        (facet.distinct > 1 || facet.values.some(({ value }) => hasTerm(where, termOf(facet, value)))),
    )
    .filter(({ field }, index, all) => field !== 'header' || countHeaders(all.slice(0, index)) < mostHeaders)
  if (telling.length === 0) return null
  return (
    <aside aria-label="Values" className="flex min-w-0 flex-col gap-4 lg:w-56">
      {telling.map((facet) => (
        <FacetValues key={fieldOf(facet)} facet={facet} of={list.matched} where={where} onFilter={onFilter} />
      ))}
    </aside>
  )
}

function FacetValues({
  facet,
  of,
  where,
  onFilter,
}: {
  readonly facet: Facet
  readonly of: number
  readonly where: string | undefined
  readonly onFilter: (where: string | undefined) => void
}): ReactNode {
  const { values, distinct } = facet
  const shown = values.slice(0, most)
  return (
    <section>
      <h3 className="foreign mb-1 px-2 text-xs font-medium text-quiet">{titleOf(facet)}</h3>
      <ul>
        {shown.map(({ value, count }) => {
          const term = termOf(facet, value)
          return (
            <li key={value ?? ''}>
              <button
                type="button"
                aria-pressed={hasTerm(where, term)}
                onClick={() => onFilter(toggleTerms(where, fieldOf(facet), [term]))}
                className="relative flex w-full items-baseline gap-2 overflow-hidden rounded px-2 py-0.5 text-left hover:bg-hover aria-pressed:text-accent"
              >
                <span
                  aria-hidden="true"
                  className="absolute inset-y-0.5 left-0 rounded bg-chosen"
                  style={{ width: `${(100 * count) / Math.max(1, of)}%` }}
                />
                <span className="foreign relative min-w-0 flex-1 truncate" title={value ?? undefined}>
                  {value ?? <span className="text-quiet">none</span>}
                </span>
                <span className="num relative text-xs text-quiet">{formatCount(count)}</span>
              </button>
            </li>
          )
        })}
      </ul>
      {distinct > shown.length && (
        <p className="num px-2 text-xs text-faint">and {formatCount(distinct - shown.length)} others</p>
      )}
    </section>
  )
}

/** As a filter names it. */
function fieldOf({ field, name }: Facet): string {
  return field === 'header' ? `header.${name}` : field
}

/** Undefined: it is not shown, or no filter can name it. */
function titleOf({ field, name }: Facet): string | undefined {
  if (field !== 'header') return names[field]
  return /^[\w.-]+$/.test(name ?? '') ? `Header ${name}` : undefined
}

function countHeaders(facets: readonly Facet[]): number {
  return facets.filter(({ field }) => field === 'header').length
}

/** Messages without one are those that have not any. */
function termOf(facet: Facet, value: string | null): string {
  const field = fieldOf(facet)
  return value === null ? `not ${field}:"*"` : `${field}:${quoteFilterValue(value)}`
}
