import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, type Schemas } from '../api/api.ts'
import { dataOf } from '../api/api-problem.ts'
import { queries } from '../api/queries.ts'
import { useForbidden, useSession } from '../app/use-session.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { FactList } from '../parts/fact-list.tsx'
import { LoadingRows } from '../parts/loading-rows.tsx'
import { ProblemNotice } from '../parts/notice.tsx'
import { Page, SectionTitle } from '../parts/page.tsx'
import { TimeText } from '../parts/time-text.tsx'
import { searchOf } from '../redrive/redrive-search.ts'
import { approvalTones, sayAsked, whyNotGrant } from './say-asked.ts'
import { canBePlannedAgain, sayRequest } from './say-request.ts'

const route = getRouteApi('/approvals/$id')

export function ApprovalPage(): ReactNode {
  const { id } = route.useParams()
  const { data: approvals } = useQuery(queries.approvals())
  const approval = approvals?.find((each) => each.id === id)
  const above = (
    <Link to="/approvals" className="hover:underline">
      Approvals
    </Link>
  )
  if (!approval)
    return (
      <Page above={above} title="Approval">
        {approvals ? (
          <EmptyState title="The approval is not known here">
            It is long over, or about a queue that you may not read.
          </EmptyState>
        ) : (
          <LoadingRows what="Reading the approval" />
        )}
      </Page>
    )
  const { asks } = approval
  const plannable = asks.action === 'redrive' && canBePlannedAgain(asks.request) ? asks.request : undefined
  return (
    <Page
      above={above}
      title={sayAsked(approval)}
      about={
        <div className="flex flex-wrap gap-x-4 gap-y-1">
          <Badge tone={approvalTones[approval.state]}>{approval.state}</Badge>
          <span className="foreign">
            asked by <bdi>{approval.by}</bdi>, <TimeText at={approval.askedAt} />
          </span>
          {approval.state === 'waiting' && (
            <span>
              until <TimeText at={approval.expiresAt} />
            </span>
          )}
          {approval.decidedBy !== null && <span className="foreign">decided by {approval.decidedBy}</span>}
        </div>
      }
      actions={<Decision approval={approval} />}
    >
      {approval.reason !== null && <p className="foreign text-base">“{approval.reason}”</p>}
      {approval.state === 'granted' && approval.asks.action === 'redrive' && (
        <p>
          <Link to="/tasks/$id" params={{ id }} className="text-accent hover:underline">
            See the task
          </Link>
        </p>
      )}
      <section>
        <SectionTitle>What is asked for</SectionTitle>
        <FactList isProse facts={sayRequest(approval.asks)} />
      </section>
      {approval.state === 'waiting' && plannable && (
        <p>
          <Link
            to="/queues/$queue/redrive"
            params={{ queue: plannable.queue }}
            search={searchOf(plannable)}
            className="text-accent hover:underline"
          >
            See the plan of this request, as it is now
          </Link>
        </p>
      )}
      <details className="pb-8">
        <summary className="text-quiet">The request, as it is carried out</summary>
        <pre className="foreign mt-2 rounded-lg border border-line bg-panel p-4 font-mono text-xs leading-5 whitespace-pre-wrap">
          {JSON.stringify(approval.asks.request, null, 2)}
        </pre>
      </details>
    </Page>
  )
}

function Decision({ approval }: { readonly approval: Schemas['Approval'] }): ReactNode {
  const { id, state } = approval
  const { name } = useSession()
  const navigate = route.useNavigate()
  const forbidden = useForbidden('dlq:redrive')
  const decide = useMutation({
    mutationFn: async (step: 'grant' | 'refuse') => {
      const params = { path: { id } }
      return step === 'grant'
        ? dataOf(await api.POST('/api/v1/approvals/{id}/grant', { params }))
        : dataOf(await api.POST('/api/v1/approvals/{id}/refuse', { params }))
    },
    onSuccess: ({ state: now, asks }) => {
      if (now === 'granted' && asks.action === 'redrive') void navigate({ to: '/tasks/$id', params: { id } })
    },
  })
  if (state !== 'waiting') return null
  return (
    <>
      <Button onClick={() => decide.mutate('refuse')} offBecause={forbidden}>
        {approval.by === name ? 'Take back' : 'Refuse'}
      </Button>
      <Button
        isMain
        onClick={() => decide.mutate('grant')}
        offBecause={forbidden ?? whyNotGrant(approval, name)}
      >
        Grant
      </Button>
      {decide.error && (
        <div className="w-full">
          <ProblemNotice error={decide.error} />
        </div>
      )}
    </>
  )
}
