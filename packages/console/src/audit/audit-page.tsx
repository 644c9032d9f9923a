import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Schemas } from '../api/api.ts'
import { queries } from '../api/queries.ts'
import { useForbidden } from '../app/use-session.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { LoadingRows } from '../parts/loading-rows.tsx'
import { Notice, ProblemNotice } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { RowList } from '../parts/row-list.tsx'
import { TimeText } from '../parts/time-text.tsx'
import { formatCounted } from '../words/format-count.ts'

export function AuditPage(): ReactNode {
  const forbidden = useForbidden('audit:read')
  const audit = useInfiniteQuery({ ...queries.audit({}), enabled: forbidden === undefined })
  const pages = audit.data?.pages ?? []
  const unreadable = pages.reduce((sum, page) => sum + page.unreadable, 0)
  return (
    <Page title="Audit log" about="Who did what, newest first. Reading the log is recorded, too.">
      {forbidden && <Notice tone="plain">{forbidden}</Notice>}
      {audit.error && <ProblemNotice error={audit.error} onRetry={() => void audit.refetch()} />}
      {audit.isPending && !forbidden && <LoadingRows what="Reading the log" />}
      {unreadable > 0 && (
        <Notice tone="warn">
          {formatCounted(unreadable, 'message')} in the log cannot be read; `warren audit --verify` says
          where.
        </Notice>
      )}
      {pages.length > 0 && (
        <div className="pb-8">
          <RowList label="Records">
            {pages
              .flatMap(({ items }) => items)
              .map((record) => (
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
  return (
    <li className="flex flex-wrap items-baseline gap-x-4 px-4 py-2">
      <span className="text-quiet md:w-44">
        <TimeText at={at} />
      </span>
      <span className="foreign max-w-28 truncate font-medium md:w-28" title={`from ${from}`}>
        {by}
      </span>
      <span className="foreign w-full md:w-auto md:min-w-48 md:flex-1">
        <span className="font-mono text-xs">{action}</span> <span className="text-quiet">{target}</span>
        {reason !== null && <span className="block text-quiet">“{reason}”</span>}
      </span>
      <span className="foreign w-full text-quiet md:w-auto md:max-w-xs md:text-right">{result}</span>
      {!isSigned && (
        <span title="Not signed with the key of this server, or the server has none.">
          <Badge tone="warn">not signed</Badge>
        </span>
      )}
    </li>
  )
}
