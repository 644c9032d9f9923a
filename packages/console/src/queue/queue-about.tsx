import type { ReactNode } from 'react'
import { SparkLine } from '../parts/spark-line.tsx'
import { useRankedQueues } from '../queues/use-ranked-queues.ts'
import { formatSigned } from '../words/format-count.ts'

/** The queue in one line: how it grows, and what dies into it. How deep it is, the look says: it holds some meanwhile. */
export function QueueAbout({ queue }: { readonly queue: string }): ReactNode {
  const found = useRankedQueues()?.find((each) => each.queue === queue)
  if (!found) return null
  const { messages, growthPerMinute, depths, sources, abandoned } = found
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
      {messages === null && <span>The queue has just gone away.</span>}
      {growthPerMinute !== 0 && <span className="num">{formatSigned(growthPerMinute)} per minute</span>}
      {new Set(depths).size > 1 && (
        <SparkLine values={depths} tone={growthPerMinute > 0 ? 'text-bad' : 'text-faint'} />
      )}
      {sources.length > 0 && <span className="foreign">from {sources.join(', ')}</span>}
      {abandoned.length > 0 && (
        <span className="foreign text-warn">no consumer on {abandoned.join(', ')}</span>
      )}
    </div>
  )
}
