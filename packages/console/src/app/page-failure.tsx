import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Notice } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'

/** In place of a page that has thrown: the fault is the console's, and all others still work. */
export function PageFailure({ error, reset }: ErrorComponentProps): ReactNode {
  const router = useRouter()
  return (
    <Page title="This page has failed">
      <Notice
        tone="bad"
        action={
          <button
            type="button"
            className="font-medium underline"
            onClick={() => {
              reset()
              void router.invalidate()
            }}
          >
            Try again
          </button>
        }
      >
        The console could not show it, which is a fault of the console:{' '}
        {error instanceof Error ? error.message : String(error)}
      </Notice>
      <p>
        Messages are where they were.{' '}
        <Link to="/" className="text-accent underline">
          See the dead-letter queues
        </Link>
        .
      </p>
    </Page>
  )
}
