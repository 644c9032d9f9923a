import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { api, type Schemas } from '../api/api.ts'
import { dataOf } from '../api/api-problem.ts'
import { createOnceKey } from '../api/once-key.ts'
import { isGone } from '../api/queries.ts'
import { useForbidden } from '../app/use-session.ts'
import { FilterSentence } from '../filter/filter-sentence.tsx'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { TextField } from '../parts/field.tsx'
import { LoadingRows } from '../parts/loading-rows.tsx'
import { Notice, ProblemNotice } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { NoQueue } from '../queue/no-queue.tsx'
import { QueueTrail } from '../queue/queue-trail.tsx'
import { forgetSnapshot } from '../snapshot/forget-snapshot.ts'
import { snapshotQueries } from '../snapshot/snapshot-queries.ts'
import { useSnapshot } from '../snapshot/use-snapshot.ts'
import { formatCount, formatCounted } from '../words/format-count.ts'
import { discardCommand } from './discard-command.ts'

const route = getRouteApi('/queues/$queue/discard')

/** Removes messages into a backup: what, how many, why, and only then the button. */
export function DiscardPage(): ReactNode {
  const { queue } = route.useParams()
  const { where, keys } = route.useSearch()
  const held = useSnapshot(queue)
  const count = useCount({ queue, where, snapshot: held.snapshot })
  const [reason, setReason] = useState('')
  const forbidden = useForbidden('dlq:discard')
  const discard = useDiscard(queue)
  const list = where === undefined ? {} : { where }
  const matched = keys?.length ?? (count.data?.search.isWhole ? count.data.matched : undefined)
  const error = held.error ?? count.error
  return (
    <Page
      above={<QueueTrail queue={queue} list={list} />}
      title={`Discard from ${queue}`}
      heading="Discard"
      about={
        keys ? (
          `${formatCounted(keys.length, 'selected message')}.`
        ) : (
          <FilterSentence where={where} causes={count.data?.causes} />
        )
      }
      actions={
        <CopyButton text={discardCommand({ queue, reason }, { ...list, ...(keys && { keys }) })}>
          Copy as command
        </CopyButton>
      }
    >
      {discard.data?.kind === 'discarded' && <Discarded result={discard.data} />}
      {error && (isGone(error) ? <NoQueue /> : <ProblemNotice error={error} onRetry={held.lookAgain} />)}
      {!discard.data && !error && matched === undefined && <LoadingRows what="Counting the messages" />}
      {!discard.data && matched !== undefined && (
        <div className="flex max-w-prose flex-col gap-4">
          <p className="text-base">
            <span className="num font-semibold">{formatCount(matched)}</span> of{' '}
            <span className="num">{formatCounted(count.data?.messages ?? 0, 'message')}</span> would leave the
            queue.
          </p>
          <p className="text-quiet">
            The server first writes them to a backup, from which you can restore them. It never removes more
            than this number, even if other messages arrive meanwhile.
          </p>
          <TextField label="Why" hint="For the audit log" value={reason} onChange={setReason} />
          {discard.error && <ProblemNotice error={discard.error} />}
          <div>
            <Button
              isDangerous
              offBecause={forbidden ?? whyOff(matched, discard.isPending)}
              onClick={() =>
                discard.mutate({
                  ...list,
                  ...(keys && { keys: [...keys] }),
                  limit: matched,
                  ...(reason.trim() && { reason: reason.trim() }),
                })
              }
            >
              Discard {formatCounted(matched, 'message')}
            </Button>
          </div>
        </div>
      )}
    </Page>
  )
}

function useCount({
  queue,
  where,
  snapshot,
}: {
  readonly queue: string
  readonly where: string | undefined
  readonly snapshot: Schemas['Snapshot'] | undefined
}) {
  return useQuery({
    ...snapshotQueries.causes({ snapshot: snapshot ?? { queue, id: '', state: 'running' }, where }),
    enabled: snapshot?.state === 'done',
  })
}

function useDiscard(queue: string) {
  const client = useQueryClient()
  const navigate = route.useNavigate()
  const [onceKey] = useState(createOnceKey)
  return useMutation({
    mutationFn: async (body: Schemas['DiscardRequest']) =>
      dataOf(
        await api.POST('/api/v1/dlqs/{queue}/discard', {
          params: { path: { queue }, header: { 'idempotency-key': onceKey } },
          body,
        }),
      ),
    onSuccess: (done) => {
      if (done.kind === 'approval') void navigate({ to: '/approvals/$id', params: { id: done.id } })
      else forgetSnapshot(client, queue)
    },
  })
}

function whyOff(matched: number, isSent: boolean): string | undefined {
  if (matched === 0) return 'No message matches.'
  return isSent ? 'It has been sent.' : undefined
}

function Discarded({
  result: { removed, left, isDone, backup },
}: {
  readonly result: Schemas['Discarded']
}): ReactNode {
  return (
    <Notice
      tone={isDone ? 'good' : 'warn'}
      action={
        <Link to="/backups/$id" params={{ id: backup.id }} className="font-medium underline">
          See the backup
        </Link>
      }
    >
      {formatCounted(removed, 'message')} removed, {formatCount(left)} left in the queue.
      {!isDone && ' It ended before all were removed.'}
    </Notice>
  )
}
