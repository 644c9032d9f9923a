import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { api, type Schemas } from '../api/api.ts'
import { dataOf } from '../api/api-problem.ts'
import { createOnceKey } from '../api/once-key.ts'
import { isGone, queries } from '../api/queries.ts'
import { useForbidden } from '../app/use-session.ts'
import { FilterSentence } from '../filter/filter-sentence.tsx'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Page } from '../parts/page.tsx'
import { useKeys } from '../parts/use-keys.ts'
import { LookProblem } from '../queue/look-problem.tsx'
import { NoQueue } from '../queue/no-queue.tsx'
import { QueueTrail } from '../queue/queue-trail.tsx'
import { forgetSnapshot } from '../snapshot/forget-snapshot.ts'
import { useKnownCauses } from '../snapshot/use-known-causes.ts'
import { useWorkingRedrive } from '../tasks/use-working-redrive.ts'
import { formatCounted } from '../words/format-count.ts'
import { PlanPanel } from './plan-panel.tsx'
import { redriveCommand } from './redrive-command.ts'
import { RedriveForm } from './redrive-form.tsx'
import { requestOf, whyNotPlanned } from './redrive-search.ts'

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
  const unusable = forbidden ?? whyNotPlanned(search)
  const plan = useQuery({ ...queries.redrivePlan(planned), enabled: unusable === undefined })
  const start = useStart(queue)
  usePlanAgainWhenFree(queue, plan)
  const depth = useDepth(queue)
  const causes = useKnownCauses(queue)
  const list = search.where === undefined ? {} : { where: search.where }
  useKeys({ u: () => void navigate({ to: '/queues/$queue', search: list }) })
  return (
    <Page
      above={<QueueTrail queue={queue} list={list} />}
      title={`Re-drive from ${queue}`}
      heading="Re-drive"
      about={
        search.keys ? (
          `${formatCounted(search.keys.length, 'selected message')}.`
        ) : (
          <FilterSentence where={search.where} causes={causes} />
        )
      }
      actions={<CopyButton text={redriveCommand({ queue, reason }, search)}>Copy as command</CopyButton>}
    >
      {isGone(plan.error) ? (
        <NoQueue />
      ) : (
        <div className="grid grid-cols-1 gap-6 pb-8 lg:grid-cols-2">
          <RedriveForm reason={reason} onReason={setReason} />
          <PlanPanel
            queue={queue}
            plan={plan.data}
            error={unusable === undefined ? plan.error : new Error(unusable)}
            isPlanning={plan.isFetching}
            depth={depth}
            isOld={!isPlanOfThis}
            onPlan={
              unusable !== undefined
                ? undefined
                : () => (isPlanOfThis ? void plan.refetch() : setPlanned(request))
            }
          >
            {start.error && <LookProblem queue={queue} error={start.error} isRefusal />}
            {start.isPending && (
              <p role="status" className="text-quiet">
                Checking that the plan still holds. Every message is read once more before the first one
                moves…
              </p>
            )}
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
      )}
    </Page>
  )
}

/** Who waits for somebody else's re-drive gets the plan when that is done. */
function usePlanAgainWhenFree(
  queue: string,
  { error, refetch }: { readonly error: Error | null; readonly refetch: () => Promise<unknown> },
): void {
  const working = useWorkingRedrive(queue)?.id
  const before = useRef(working)
  useEffect(() => {
    const isFree = before.current !== undefined && working === undefined
    before.current = working
    if (isFree && error) void refetch()
  }, [working, error, refetch])
}

function useDepth(queue: string): number | null {
  const { data: dlqs } = useQuery(queries.dlqs())
  const found = dlqs?.find((each) => each.queue === queue)
  return found?.total ?? found?.messages ?? null
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
