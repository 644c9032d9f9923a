import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { api, type Schemas } from '../api/api.ts'
import { dataOf } from '../api/api-problem.ts'
import { createOnceKey } from '../api/once-key.ts'
import { useForbidden } from '../app/use-session.ts'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/field.tsx'
import { Notice, ProblemNotice } from '../parts/notice.tsx'
import { SectionTitle } from '../parts/page.tsx'
import { formatCount, formatCounted } from '../words/format-count.ts'

type Plan = Schemas['TopologyPlan']

/** What the broker lacks, step by step, and the button that carries out exactly this plan. */
export function PlanSection({ plan }: { readonly plan: Plan }): ReactNode {
  const { safe, disruptive, impossible } = plan
  const [allowsDisruptive, setAllowsDisruptive] = useState(false)
  const [reason, setReason] = useState('')
  const forbidden = useForbidden('topology:apply')
  const apply = useApply()
  const count = safe.length + (allowsDisruptive ? disruptive.length : 0)
  return (
    <section aria-label="Plan" className="flex flex-col gap-3">
      <SectionTitle beside="what apply would do">What the broker lacks</SectionTitle>
      <ul className="rounded-lg border border-line bg-panel py-2 font-mono text-xs leading-5">
        {safe.map((step) => (
          <Step key={`${step.kind} ${step.target}`} step={step} />
        ))}
        {disruptive.map((step) => (
          <Step key={`${step.kind} ${step.target}`} step={step} isDisruptive />
        ))}
      </ul>
      {impossible.map((each) => (
        <Impossible key={each.name} impossible={each} />
      ))}
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-48 flex-1">
          <TextField label="Why" hint="For the audit log" value={reason} onChange={setReason} />
        </div>
        {disruptive.length > 0 && (
          <label className="flex h-8 items-center gap-2">
            <input
              type="checkbox"
              checked={allowsDisruptive}
              onChange={({ target }) => setAllowsDisruptive(target.checked)}
              className="size-4 accent-action"
            />
            Also the disruptive ones
          </label>
        )}
        <Button
          isMain
          offBecause={forbidden ?? whyOff(count, apply.isPending)}
          onClick={() =>
            apply.mutate({
              plan: plan.digest,
              ...(allowsDisruptive && { allowDisruptive: true }),
              ...(reason.trim() && { reason: reason.trim() }),
            })
          }
        >
          Apply {formatCounted(count, 'step')}
        </Button>
      </div>
      {apply.error && <ProblemNotice error={apply.error} />}
      {apply.data?.kind === 'applied' && <Applied result={apply.data} />}
    </section>
  )
}

const verbs: Readonly<Record<Schemas['PlanStep']['kind'], string>> = {
  'create-exchange': 'create exchange',
  'create-queue': 'create queue',
  'add-binding': 'bind',
  'remove-binding': 'unbind',
  'delete-queue': 'delete queue',
}

function Step({
  step: { kind, target },
  isDisruptive = false,
}: {
  readonly step: Schemas['PlanStep']
  readonly isDisruptive?: boolean
}): ReactNode {
  const isRemoval = kind === 'remove-binding' || kind === 'delete-queue'
  return (
    <li className={`foreign px-3 ${isRemoval ? 'bg-bad-soft text-bad' : 'text-good'}`}>
      <span aria-hidden="true">{isRemoval ? '− ' : '+ '}</span>
      {verbs[kind]} {target}
      {isDisruptive && <span className="font-sans text-warn"> (disruptive)</span>}
    </li>
  )
}

function Impossible({
  impossible: { name, changes, waysOut },
}: {
  readonly impossible: Plan['impossible'][number]
}): ReactNode {
  return (
    <Notice tone="bad">
      {name} cannot be changed in place:{' '}
      {changes
        .map(
          ({ setting, live, wanted }) =>
            `${setting} is ${JSON.stringify(live)} and should be ${JSON.stringify(wanted)}`,
        )
        .join(', ')}
      .{waysOut[0] && ` ${waysOut[0].text}`}
    </Notice>
  )
}

function Applied({
  result: { done, failed, isComplete, results },
}: {
  readonly result: Schemas['ApplyResult']
}): ReactNode {
  const problem = results.find((each) => each.problem !== null)
  return (
    <Notice tone={isComplete ? 'good' : 'warn'}>
      {formatCounted(done, 'step')} done
      {failed > 0 && `, ${formatCount(failed)} failed`}.
      {problem?.problem && ` ${problem.target}: ${problem.problem}`}
    </Notice>
  )
}

function useApply() {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [onceKey] = useState(createOnceKey)
  return useMutation({
    mutationFn: async (body: Schemas['ApplyRequest']) =>
      dataOf(
        await api.POST('/api/v1/topology/apply', {
          params: { header: { 'idempotency-key': onceKey } },
          body,
        }),
      ),
    onSuccess: (done) => {
      if (done.kind === 'approval') void navigate({ to: '/approvals/$id', params: { id: done.id } })
      else void client.invalidateQueries({ queryKey: ['topology'] })
    },
  })
}

function whyOff(count: number, isSent: boolean): string | undefined {
  if (count === 0) return 'Only disruptive steps are left. Choose them to carry them out.'
  return isSent ? 'It has been sent.' : undefined
}
