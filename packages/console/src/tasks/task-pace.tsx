import { type ReactNode, useEffect, useState } from 'react'
import type { Schemas } from '../api/api.ts'
import { formatAge } from '../words/format-age.ts'
import { formatCounted } from '../words/format-count.ts'
import { addPaceSample, type PaceSample, paceOf, restOf } from './balance.ts'

const everyMs = 1_000

/** How fast it goes now, and for how long at that pace. */
export function TaskPace({ task }: { readonly task: Schemas['Task'] }): ReactNode {
  const pace = usePace(task)
  if (pace === undefined || task.state !== 'running') return null
  const { moved } = task.progress
  const rest = restOf(task)
  if (pace === 0)
    return (
      <p className="text-quiet" role="status">
        {moved === 0
          ? 'Reading the queue. Nothing has moved yet.'
          : 'Nothing has moved for some seconds. After the messages that it tries first, a re-drive watches whether they die again.'}
      </p>
    )
  return (
    <p className="num text-quiet" role="status">
      {formatCounted(Math.round(pace), 'message')} a second
      {rest > 0 && `, at most ${formatAge((1000 * rest) / pace)} to go`}
    </p>
  )
}

/** Looks at the clock as well: what stands still tells nothing. */
function usePace({ state, progress: { moved } }: Schemas['Task']): number | undefined {
  const [samples, setSamples] = useState<readonly PaceSample[]>([])
  useEffect(() => {
    if (state !== 'running') return setSamples([])
    const look = (): void => setSamples((before) => addPaceSample(before, { atMs: Date.now(), moved }))
    look()
    const timer = setInterval(look, everyMs)
    return () => clearInterval(timer)
  }, [state, moved])
  return paceOf(samples)
}
