import type { ReactNode } from 'react'
import type { Schemas } from '../api/api.ts'
import { Badge } from '../parts/badge.tsx'
import { formatCount } from '../words/format-count.ts'
import { stateTones } from './balance.ts'

/** The state of a task. One that is done is good only if nothing failed. */
export function StateBadge({ task: { state, progress } }: { readonly task: Schemas['Task'] }): ReactNode {
  if (state === 'done' && progress.failed > 0)
    return <Badge tone="warn">done, {formatCount(progress.failed)} failed</Badge>
  return <Badge tone={stateTones[state]}>{state}</Badge>
}
