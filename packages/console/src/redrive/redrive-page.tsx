import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { api, type Schemas } from '../api/api.ts'
import { dataOf } from '../api/api-problem.ts'
import { createOnceKey } from '../api/once-key.ts'
import { queries } from '../api/queries.ts'
import { useForbidden } from '../app/use-session.ts'
import { FilterSentence } from '../filter/filter-sentence.tsx'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { ProblemNotice } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { useKeys } from '../parts/use-keys.ts'
import { QueueTrail } from '../queue/queue-trail.tsx'
import { forgetSnapshot } from '../snapshot/forget-snapshot.ts'
import { useKnownCauses } from '../snapshot/use-known-causes.ts'
import { formatCounted } from '../words/format-count.ts'
import { PlanPanel } from './plan-panel.tsx'
import { redriveCommand } from './redrive-command.ts'
import { RedriveForm } from './redrive-form.tsx'
import { requestOf } from './redrive-search.ts'

const route = getRouteApi('/queues/$queue/redrive')

type Request = Schemas['RedriveRequest']

/** What, where and how; the plan of exactly that; and the button that does it. */
export function RedrivePage(): ReactNode {
  const { queue } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [reason, setReason] = useState('')
  const request = requestOf(queue, search)
  const [planned, setPlanned] = useState<Request>(request)
  const isPlanOfThis = JSON.stringify(planned) === JSON.stringify(request)
  const forbidden = useForbidden('dlq:redrive')
  const plan = useQuery({ ...queries.redrivePlan(planned), enabled: forbidden === undefined })
  const start = useStart(queue)
  const causes = useKnownCauses(queue)
  const list = search.where === undefined ? {} : { where: search.where }
  useKeys({ u: () => void navigate({ to: '/queues/$queue', search: list }) })
  return (
    <Page
      above={<QueueTrail queue={queue} list={list} />}
      title="Re-drive"
      about={
        search.keys ? (
          `${formatCounted(search.keys.length, 'selected message')}.`
        ) : (
          <FilterSentence where={search.where} causes={causes} />
        )
      }
      actions={<CopyButton text={redriveCommand({ queue, reason }, search)}>Copy as command</CopyButton>}
    >
      <div className="grid grid-cols-1 gap-6 pb-8 lg:grid-cols-2">
        <RedriveForm reason={reason} onReason={setReason} />
        <PlanPanel
          plan={plan.data}
          error={forbidden ? new Error(forbidden) : plan.error}
          isPlanning={plan.isFetching}
          isOld={!isPlanOfThis}
          onPlan={() => (isPlanOfThis ? void plan.refetch() : setPlanned(request))}
        >
          {start.error && <ProblemNotice error={start.error} />}
          <Button
            isMain
            offBecause={whyOff({
              forbidden,
              plan: plan.data,
              isPlanning: plan.isFetching,
              isPlanOfThis,
              isStarting: start.isPending,
            })}
            onClick={() =>
              start.mutate({
                ...planned,
                ...(plan.data && { planDigest: plan.data.digest }),
                ...(reason.trim() && { reason: reason.trim() }),
              })
            }
          >
            {sayButton(plan.data)}
          </Button>
        </PlanPanel>
      </div>
    </Page>
  )
}

/** One key for each page that was opened: a second click is the same deed. */
function useStart(queue: string) {
  const client = useQueryClient()
  const navigate = route.useNavigate()
  const [onceKey] = useState(createOnceKey)
  return useMutation({
    mutationFn: async (body: Request) =>
      dataOf(
        await api.POST('/api/v1/redrives', { body, params: { header: { 'idempotency-key': onceKey } } }),
      ),
    onSuccess: ({ kind, id }) => {
      if (kind === 'approval') return navigate({ to: '/approvals/$id', params: { id } })
      forgetSnapshot(client, queue)
      return navigate({ to: '/tasks/$id', params: { id } })
    },
  })
}

/** Above the server's limit a second person has to agree. */
function sayButton(plan: Schemas['RedrivePlan'] | undefined): string {
  if (!plan) return 'Re-drive'
  const count = formatCounted(plan.moving, 'message')
  return plan.needsApproval ? `Ask for approval to re-drive ${count}` : `Re-drive ${count}`
}

function whyOff({
  forbidden,
  plan,
  isPlanning,
  isPlanOfThis,
  isStarting,
}: {
  readonly forbidden: string | undefined
  readonly plan: Schemas['RedrivePlan'] | undefined
  readonly isPlanning: boolean
  readonly isPlanOfThis: boolean
  readonly isStarting: boolean
}): string | undefined {
  if (forbidden) return forbidden
  if (!isPlanOfThis) return 'The plan is of other settings. Plan again first.'
  if (isPlanning || !plan) return 'There is no plan yet.'
  if (plan.moving === 0) return 'By this plan no message would move.'
  return isStarting ? 'It has been sent.' : undefined
}
