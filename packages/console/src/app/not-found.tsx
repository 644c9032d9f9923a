import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { EmptyState } from '../parts/empty-state.tsx'
import { Page } from '../parts/page.tsx'

export function NotFound(): ReactNode {
  return (
    <Page title="There is no such page">
      <EmptyState title="The address leads nowhere">
        It may be mistyped, or of another version.{' '}
        <Link to="/" className="text-accent underline">
          See the dead-letter queues
        </Link>
        .
      </EmptyState>
    </Page>
  )
}
