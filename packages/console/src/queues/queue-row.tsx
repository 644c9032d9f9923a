import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useQueueNote } from '../notes/use-queue-note.ts'
import { LongName } from '../parts/long-name.tsx'
import { SparkLine } from '../parts/spark-line.tsx'
import { AgeText } from '../parts/time-text.tsx'
import { formatCount, formatSigned } from '../words/format-count.ts'
import type { RankedQueue } from './ranked-queue.ts'

export function QueueRow({ queue: each }: { readonly queue: RankedQueue }): ReactNode {
  const { queue, messages, growthPerMinute, depths, mainCause, oldestDeath } = each
  const isEmpty = messages === 0
  const tone = isEmpty
    ? 'text-faint'
    : growthPerMinute > 0
      ? 'text-bad'
      : growthPerMinute < 0
        ? 'text-good'
        : 'text-faint'
  return (
    <div className="flex h-full items-center gap-4 px-4">
      <div className="min-w-0 flex-1">
        <Link
          to="/queues/$queue"
          params={{ queue }}
          tabIndex={-1}
          className={`block font-medium hover:underline ${isEmpty ? 'text-quiet' : ''}`}
        >
          <LongName name={queue} />
        </Link>
        <QueueLine queue={each} />
      </div>
      <span className="foreign hidden w-64 truncate text-quiet lg:block" title={mainCause?.label}>
        {isEmpty || mainCause === null ? (
          <span className="text-faint">{isEmpty ? '–' : 'not looked at yet'}</span>
        ) : (
          mainCause.label
        )}
      </span>
      <span className="num hidden w-16 text-right text-quiet lg:block">
        {oldestDeath === null || isEmpty ? '–' : <AgeText at={oldestDeath} isBare />}
      </span>
      <span className="hidden w-24 md:block">
        <SparkLine values={depths} tone={tone} />
      </span>
      <span className={`num hidden w-24 text-right md:block ${tone}`}>
        {growthPerMinute === 0 ? '–' : formatSigned(growthPerMinute)}
      </span>
      <span className={`num text-right text-base font-medium md:w-24 ${isEmpty ? 'text-faint' : ''}`}>
        {messages === null ? <span title="The queue has just gone away.">gone</span> : formatCount(messages)}
        {growthPerMinute !== 0 && (
          <span className={`block text-xs font-normal md:hidden ${tone}`}>
            {formatSigned(growthPerMinute)}/min
          </span>
        )}
      </span>
    </div>
  )
}

/** What somebody wrote about the queue, else what it gets its messages from; in a narrow list, of what they died. */
function QueueLine({ queue: each }: { readonly queue: RankedQueue }): ReactNode {
  const note = useQueueNote(each.queue)
  const { mainCause, messages } = each
  if (!note && (mainCause === null || messages === 0)) return <Origin queue={each} />
  if (!note)
    return (
      <>
        <div className="hidden lg:block">
          <Origin queue={each} />
        </div>
        <p className="foreign truncate text-xs text-quiet lg:hidden">{mainCause?.label}</p>
      </>
    )
  return (
    <p className="foreign truncate text-xs text-quiet" title={`${note.by}: ${note.text}`}>
      <span className="rounded bg-warn-soft px-1 text-ink">
        “<bdi>{note.text}</bdi>”
      </span>{' '}
      {note.by}
    </p>
  )
}

function Origin({ queue: { sources, abandoned } }: { readonly queue: RankedQueue }): ReactNode {
  if (sources.length === 0)
    return <p className="truncate text-xs text-quiet">no queue is known to dead-letter into it</p>
  return (
    <p className="foreign truncate text-xs text-quiet">
      from <bdi>{sources.join(', ')}</bdi>
      {abandoned.length > 0 && (
        <span className="text-warn">
          {' '}
          · no consumer{abandoned.length < sources.length && ` on ${abandoned.join(', ')}`}
        </span>
      )}
    </p>
  )
}
