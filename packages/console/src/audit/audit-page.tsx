import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../api/api.ts'
import { queries } from '../api/queries.ts'
import { useForbidden } from '../app/use-session.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { LoadingRows } from '../parts/loading-rows.tsx'
import { Notice, ProblemNotice } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { RowList } from '../parts/row-list.tsx'
import { TimeText } from '../parts/time-text.tsx'
import { formatCounted } from '../words/format-count.ts'
import { type SaidResult, sayResult } from './say-result.ts'

const route = getRouteApi('/audit')

export function AuditPage(): ReactNode {
  const forbidden = useForbidden('audit:read')
  const { by: person, target } = route.useSearch()
  const audit = useInfiniteQuery({
    ...queries.audit({ ...(person && { person }), ...(target && { target }) }),
    enabled: forbidden === undefined,
  })
  const pages = audit.data?.pages ?? []
  const records = pages.flatMap(({ items }) => items)
  const unreadable = pages.reduce((sum, page) => sum + page.unreadable, 0)
  return (
    <Page title="Audit log" about="Who did what, newest first. Reading the log is recorded, too.">
      {forbidden && <Notice tone="plain">{forbidden}</Notice>}
      {(person || target) && (
        <p className="foreign">
          Only what <bdi>{person ?? 'somebody'}</bdi> did
          {target && (
            <>
              {' '}
              to <bdi>{target}</bdi>
            </>
          )}
          .{' '}
          <Link to="/audit" className="text-accent underline">
            Show all
          </Link>
        </p>
      )}
      {audit.error && <ProblemNotice error={audit.error} onRetry={() => void audit.refetch()} />}
      {audit.isPending && !forbidden && <LoadingRows what="Reading the log" />}
      {unreadable > 0 && (
        <Notice tone="warn">
          {formatCounted(unreadable, 'message')} in the log cannot be read; `warren audit --verify` says
          where.
        </Notice>
      )}
      {pages.length > 0 && records.length === 0 && !audit.hasNextPage && (
        <EmptyState title="Nothing is recorded">
          The log has nothing of that, or it is older than what the log keeps.
        </EmptyState>
      )}
      {(records.length > 0 || audit.hasNextPage) && (
        <div className="pb-8">
          <RowList label="Records">
            {records.map((record) => (
              <AuditRow key={record.hash} record={record} />
            ))}
          </RowList>
          {audit.hasNextPage && (
            <div className="mt-4">
              <Button onClick={() => void audit.fetchNextPage()}>
                {audit.isFetching ? 'Reading…' : 'Older records'}
              </Button>
            </div>
          )}
        </div>
      )}
    </Page>
  )
}

function AuditRow({
  record: { at, by, from, action, target, reason, result, isSigned },
}: {
  readonly record: Schemas['AuditRecord']
}): ReactNode {
  const search = route.useSearch()
  return (
    <li className="grid grid-cols-[1fr_auto] gap-x-4 px-4 py-2 md:grid-cols-[11rem_7rem_minmax(0,1fr)_minmax(0,1fr)]">
      <span className="text-quiet">
        <TimeText at={at} />
      </span>
      <Link
        to="/audit"
        search={{ ...search, by }}
        className="foreign max-w-28 truncate font-medium hover:underline"
        title={`Only what ${by} did. This was from ${from}.`}
      >
        {by}
      </Link>
      <span className="foreign col-span-2 md:col-span-1">
        <span className="font-mono text-xs">{action}</span>{' '}
        <Link
          to="/audit"
          search={{ ...search, target }}
          className="foreign text-quiet underline decoration-line underline-offset-2 hover:decoration-current"
          title={`Only what was done to ${target}`}
        >
          {target}
        </Link>
        {reason !== null && <span className="block">“{reason}”</span>}
      </span>
      <span className="foreign col-span-2 text-quiet md:col-span-1" title={result}>
        <Result result={sayResult({ action, result })} />
        {!isSigned && (
          <span title="Not signed with the key of this server, or the server has none.">
            {' '}
            <Badge tone="warn">not signed</Badge>
          </span>
        )}
      </span>
    </li>
  )
}

function Result({ result: { words, about } }: { readonly result: SaidResult }): ReactNode {
  return (
    <>
      {words}
      {words !== '' && about && ' · '}
      {about && <PageOf about={about} />}
    </>
  )
}

function PageOf({ about: { kind, id } }: { readonly about: NonNullable<SaidResult['about']> }): ReactNode {
  const look = 'text-accent underline'
  if (kind === 'task')
    return (
      <Link to="/tasks/$id" params={{ id }} className={look}>
        the re-drive
      </Link>
    )
  if (kind === 'backup')
    return (
      <Link to="/backups/$id" params={{ id }} className={look}>
        the backup
      </Link>
    )
  return (
    <Link to="/approvals/$id" params={{ id }} className={look}>
      the request
    </Link>
  )
}
