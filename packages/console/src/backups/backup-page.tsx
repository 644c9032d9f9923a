import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../api/api.ts'
import { queries } from '../api/queries.ts'
import { useForbidden } from '../app/use-session.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { FactList } from '../parts/fact-list.tsx'
import { LoadingRows } from '../parts/loading-rows.tsx'
import { Notice, ProblemNotice } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { TimeText } from '../parts/time-text.tsx'
import { formatBytes } from '../words/format-bytes.ts'
import { quoteShell } from '../words/quote-shell.ts'
import { DownloadLink } from './download-link.tsx'
import { RestoreButton } from './restore-button.tsx'

const route = getRouteApi('/backups/$id')

export function BackupPage(): ReactNode {
  const { id } = route.useParams()
  const forbidden = useForbidden('dlq:backup')
  const { data, error, refetch } = useQuery({ ...queries.backups(), enabled: forbidden === undefined })
  const backup = data?.items.find((each) => each.id === id)
  return (
    <Page
      above={
        <Link to="/backups" className="hover:underline">
          Backups
        </Link>
      }
      title={backup ? `Backup of ${backup.queue}` : 'Backup'}
      about={backup && sayPurpose(backup)}
      actions={backup && <Actions backup={backup} />}
    >
      {forbidden && <Notice tone="plain">{forbidden}</Notice>}
      {error && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && !forbidden && <LoadingRows what="Reading the backups" />}
      {data && !backup && (
        <EmptyState title="The backup is not kept here">
          It was deleted, or is about a queue that you may not read.
        </EmptyState>
      )}
      {backup && <Facts backup={backup} />}
    </Page>
  )
}

export function sayPurpose({ purpose, by }: Schemas['KeptBackup']): string {
  return purpose === 'discard' ? `Removed by ${by}. It may hold the only copy.` : `Made by ${by}.`
}

function Actions({ backup }: { readonly backup: Schemas['KeptBackup'] }): ReactNode {
  const file = quoteShell(`${backup.queue}.backup`)
  return (
    <>
      <CopyButton text={`npx @warrenmq/cli dlq restore ${file}`}>Copy as command</CopyButton>
      <DownloadLink path={`/api/v1/backups/${backup.id}`} hint="The file, byte for byte." />
      <RestoreButton backup={backup} />
    </>
  )
}

function Facts({
  backup: { id, queue, vhost, by, startedAt, sizeBytes },
}: {
  readonly backup: Schemas['KeptBackup']
}): ReactNode {
  return (
    <FactList
      facts={[
        ['Queue', queue],
        ['Vhost', vhost],
        ['By', by],
        ['Made', <TimeText key="made" at={startedAt} />],
        ['Size', formatBytes(sizeBytes)],
        ['Id', id],
      ]}
    />
  )
}
