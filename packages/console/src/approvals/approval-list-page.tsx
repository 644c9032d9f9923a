import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { queries } from '../api/queries.ts'
import { Badge } from '../parts/badge.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { LoadingRows } from '../parts/loading-rows.tsx'
import { Page } from '../parts/page.tsx'
import { RowList } from '../parts/row-list.tsx'
import { AgeText } from '../parts/time-text.tsx'
import { approvalTones, sayAsked } from './say-asked.ts'

export function ApprovalListPage(): ReactNode {
  const { data: approvals } = useQuery(queries.approvals())
  return (
    <Page title="Approvals" about="What waits for a second person, and what was decided recently.">
      {!approvals && <LoadingRows what="Reading the approvals" />}
      {approvals?.length === 0 && (
        <EmptyState title="Nothing waits for approval">
          If the server has a limit (server.approval.above), larger re-drives and discards wait here for a
          second person.
        </EmptyState>
      )}
      {approvals && approvals.length > 0 && (
        <RowList label="Approvals">
          {approvals.map((approval) => (
            <li key={approval.id} className="flex items-center gap-4 px-4 py-2.5 hover:bg-hover">
              <div className="min-w-0 flex-1">
                <Link
                  to="/approvals/$id"
                  params={{ id: approval.id }}
                  className="foreign block font-medium hover:underline"
                >
                  {sayAsked(approval)}
                </Link>
                <p className="foreign line-clamp-3 text-xs text-quiet">
                  <bdi>{approval.by}</bdi>
                  {approval.reason !== null && `: ${approval.reason}`}
                </p>
              </div>
              <Badge tone={approvalTones[approval.state]}>{approval.state}</Badge>
              <span className="hidden w-24 text-right text-quiet md:block">
                <AgeText at={approval.askedAt} />
              </span>
            </li>
          ))}
        </RowList>
      )}
    </Page>
  )
}
