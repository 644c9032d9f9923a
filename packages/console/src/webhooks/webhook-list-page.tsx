import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Schemas } from '../api/api.ts'
import { queries } from '../api/queries.ts'
import { useForbidden } from '../app/use-session.ts'
import { Badge } from '../parts/badge.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { LoadingRows } from '../parts/loading-rows.tsx'
import { Notice, ProblemNotice } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { RowList } from '../parts/row-list.tsx'
import { AgeText } from '../parts/time-text.tsx'
import { formatCounted } from '../words/format-count.ts'

type Webhook = Schemas['Webhook']

/** Who is alerted, and whether alerts arrive. */
export function WebhookListPage(): ReactNode {
  const forbidden = useForbidden('topology:read')
  const { data, error, refetch } = useQuery({ ...queries.webhooks(), enabled: forbidden === undefined })
  return (
    <Page title="Webhooks" about="Who is alerted, and whether the alerts arrive.">
      {forbidden && <Notice tone="plain">{forbidden}</Notice>}
      {error && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && !forbidden && <LoadingRows what="Reading the webhooks" />}
      {data?.items.length === 0 && (
        <EmptyState title="Nobody is alerted">
          <code className="font-mono text-xs">server.webhooks</code> in the config names receivers, and what
          they are told.
        </EmptyState>
      )}
      {data && data.items.length > 0 && !data.isSending && (
        <Notice tone="plain">Another server sends the alerts. These figures are of this server alone.</Notice>
      )}
      {data && data.items.length > 0 && (
        <RowList label="Webhooks">
          {data.items.map((webhook) => (
            <WebhookRow key={webhook.name} webhook={webhook} />
          ))}
        </RowList>
      )}
    </Page>
  )
}

function WebhookRow({ webhook }: { readonly webhook: Webhook }): ReactNode {
  const { name, queues, rules, accepted, acceptedAt, waiting, givenUp, failure } = webhook
  return (
    <li className="flex flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-3">
      <div className="min-w-0 flex-1 basis-60">
        <p className="foreign font-medium">{name}</p>
        <p className="foreign text-xs text-quiet">
          <bdi>{queues.length === 0 ? 'all dead-letter queues' : queues.join(', ')}</bdi>: {rules.join('; ')}
        </p>
      </div>
      <div className="flex flex-col gap-0.5 sm:w-80">
        <State webhook={webhook} />
        <p className="num text-xs text-quiet">
          {formatCounted(accepted, 'alert')} accepted
          {acceptedAt !== null && (
            <>
              , the last <AgeText at={acceptedAt} />
            </>
          )}
          {waiting > 0 && `, ${formatCounted(waiting, 'alert')} waiting`}
        </p>
        {givenUp > 0 && (
          <p className="num text-xs text-bad">
            {formatCounted(givenUp, 'alert')} given up{failure && '; the server’s log says which'}
          </p>
        )}
      </div>
    </li>
  )
}

function State({ webhook: { accepted, failure } }: { readonly webhook: Webhook }): ReactNode {
  if (failure)
    return (
      <p>
        <Badge tone="bad">failing</Badge>{' '}
        <span className="foreign text-quiet">
          {failure.reason}, <AgeText at={failure.at} />
        </span>
      </p>
    )
  return (
    <p>{accepted > 0 ? <Badge tone="good">alerts arrive</Badge> : <Badge>nothing to tell so far</Badge>}</p>
  )
}
