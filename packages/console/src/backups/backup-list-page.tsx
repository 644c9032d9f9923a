import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../api/api.ts'
import { queries } from '../api/queries.ts'
import { useForbidden } from '../app/use-session.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { LoadingRows } from '../parts/loading-rows.tsx'
import { Notice, ProblemNotice } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { RowList } from '../parts/row-list.tsx'
import { AgeText } from '../parts/time-text.tsx'
import { formatBytes } from '../words/format-bytes.ts'
import { sayPurpose } from './backup-page.tsx'

export function BackupListPage(): ReactNode {
  const forbidden = useForbidden('dlq:backup')
  const { data, error, refetch } = useQuery({ ...queries.backups(), enabled: forbidden === undefined })
  return (
    <Page title="Backups" about="What was removed from queues, and what was restored, the newest first.">
      {forbidden && <Notice tone="plain">{forbidden}</Notice>}
      {error && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && !forbidden && <LoadingRows what="Reading the backups" />}
      {data?.items.length === 0 && (
        <EmptyState title="No backup yet">
          What is removed from a queue is kept in the folder that{' '}
          <code className="font-mono text-xs">server.backups.folder</code> names. Without one nothing can be
          removed.
        </EmptyState>
      )}
      {data && data.items.length > 0 && (
        <RowList label="Backups">
          {data.items.map((backup) => (
            <BackupRow key={backup.id} backup={backup} />
          ))}
        </RowList>
      )}
    </Page>
  )
}

function BackupRow({ backup }: { readonly backup: Schemas['KeptBackup'] }): ReactNode {
  return (
    <li className="flex items-center gap-4 px-4 py-2.5 hover:bg-hover">
      <div className="min-w-0 flex-1">
        <Link
          to="/backups/$id"
          params={{ id: backup.id }}
          className="foreign block font-medium hover:underline"
        >
          {backup.queue}
        </Link>
        <p className="foreign line-clamp-3 text-xs text-quiet">{sayPurpose(backup)}</p>
      </div>
      <span className="num hidden w-20 text-right text-quiet sm:block">{formatBytes(backup.sizeBytes)}</span>
      <span className="w-20 text-right text-quiet">
        <AgeText at={backup.startedAt} />
      </span>
    </li>
  )
}
