import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

/** The way back from what belongs to a queue, to the list as it was filtered. */
export function QueueTrail({
  queue,
  list,
}: {
  readonly queue: string
  readonly list: { readonly where?: string }
}): ReactNode {
  return (
    <>
      <Link to="/" className="hover:underline">
        Dead letters
      </Link>{' '}
      /{' '}
      <Link to="/queues/$queue" params={{ queue }} search={list} className="foreign hover:underline">
        {queue}
      </Link>
    </>
  )
}
