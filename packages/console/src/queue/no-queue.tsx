import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { EmptyState } from '../parts/empty-state.tsx'

/** On every page of a queue that is not there. */
export function NoQueue(): ReactNode {
  return (
    <EmptyState title="There is no such dead-letter queue">
      It was deleted, or you may not see it.{' '}
      <Link to="/" className="text-accent underline">
        See all dead-letter queues
      </Link>
      .
    </EmptyState>
  )
}
