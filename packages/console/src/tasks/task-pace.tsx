import type { ReactNode } from 'react'
import type { Schemas } from '../api/api.ts'
import { formatAge } from '../words/format-age.ts'
import { formatCount } from '../words/format-count.ts'
import { balanceOf, rateOf } from './balance.ts'

/** How fast it goes, and for how long at that rate. */
export function TaskPace({ task }: { readonly task: Schemas['Task'] }): ReactNode {
  const rate = rateOf(task, Date.now())
  if (rate === undefined || task.state !== 'running') return null
  const { stillThere } = balanceOf(task)
  return (
    <p className="num text-quiet" role="status">
      {formatCount(Math.round(rate))} messages a second
      {stillThere > 0 && `, at most ${formatAge((1000 * stillThere) / rate)} to go`}
    </p>
  )
}
