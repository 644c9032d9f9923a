import { useQuery } from '@tanstack/react-query'
import { Link, rootRouteId, useMatches } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { queries } from '../api/queries.ts'
import { formatCount } from '../words/format-count.ts'
import { type Place, places } from './places.ts'
import { useForbidden } from './use-session.ts'

export function PlaceList(): ReactNode {
  const { data: tasks = [] } = useQuery(queries.tasks())
  const { data: approvals = [] } = useQuery(queries.approvals())
  const counts: Readonly<Record<string, number>> = {
    '/tasks': tasks.filter(({ kind, endedAt }) => kind === 'redrive' && endedAt === null).length,
    '/approvals': approvals.filter(({ state }) => state === 'waiting').length,
  }
  return (
    <ul className="flex gap-0.5 overflow-x-auto md:flex-col">
      {places.map((place) => (
        <li key={place.to}>
          <PlaceLink place={place} count={counts[place.to] ?? 0} />
        </li>
      ))}
    </ul>
  )
}

function PlaceLink({
  place: { to, name, needs },
  count,
}: {
  readonly place: Place
  readonly count: number
}): ReactNode {
  const forbidden = useForbidden(needs)
  const match = useMatches().at(-1)
  // A page that is not there is nowhere.
  const here = match && match.routeId !== rootRouteId ? String(match.fullPath) : ''
  const link = useRef<HTMLAnchorElement>(null)
  const isHere = to === '/' ? here === '/' || here.startsWith('/queues') : here.startsWith(to)
  // On a phone the list is wider than the page.
  useEffect(() => {
    if (isHere) link.current?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [isHere])
  if (forbidden)
    return (
      <span className={`${shape} cursor-not-allowed text-faint`} title={forbidden}>
        {name}
        <span className="sr-only">: {forbidden}</span>
      </span>
    )
  return (
    <Link
      ref={link}
      to={to}
      aria-current={isHere ? 'page' : undefined}
      activeProps={{}}
      className={`${shape} hover:bg-hover hover:text-ink ${isHere ? 'bg-hover text-ink' : 'text-quiet'}`}
    >
      {name}
      {count > 0 && (
        <span className="num ml-auto rounded-full bg-chosen px-1.5 text-xs text-accent">
          {formatCount(count)}
        </span>
      )}
    </Link>
  )
}

const shape = 'flex items-center gap-2 rounded-md px-2.5 py-1.5 font-medium whitespace-nowrap'
