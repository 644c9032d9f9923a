import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import type { Schemas } from '../api/api.ts'
import { queries } from '../api/queries.ts'
import { useForbidden } from '../app/use-session.ts'
import { LoadingRows } from '../parts/loading-rows.tsx'
import { Notice, ProblemNotice } from '../parts/notice.tsx'
import { Page, SectionTitle } from '../parts/page.tsx'
import { FlowList } from './flow-list.tsx'
import { PlanSection } from './plan-section.tsx'

export function TopologyPage(): ReactNode {
  const forbidden = useForbidden('topology:read')
  const enabled = forbidden === undefined
  const live = useQuery({ ...queries.liveTopology(), enabled })
  const declared = useQuery({ ...queries.declaredTopology(), enabled })
  const problems = useQuery({ ...queries.topologyProblems(), enabled })
  const plan = useQuery({ ...queries.topologyPlan(), enabled })
  const { data: dlqs } = useQuery(queries.dlqs())
  const lossy = useMemo(() => problems.data?.findings.flatMap(({ queue }) => queue ?? []), [problems.data])
  const error = live.error ?? declared.error ?? problems.error ?? plan.error
  return (
    <Page title="Topology" about={live.data && `RabbitMQ ${live.data.brokerVersion}`}>
      {forbidden && <Notice tone="plain">{forbidden}</Notice>}
      {error && <ProblemNotice error={error} onRetry={() => void live.refetch()} />}
      {live.isPending && enabled && <LoadingRows what="Reading the topology" />}
      {declared.data === null && (
        <Notice tone="plain">
          The server has no config, so nothing can be proved or planned. This is what the broker has.
        </Notice>
      )}
      {problems.data && <Proof problems={problems.data} />}
      {plan.data && !plan.data.isEmpty && <PlanSection key={plan.data.digest} plan={plan.data} />}
      {live.data && (
        <FlowList live={live.data} declared={declared.data ?? undefined} lossy={lossy} dlqs={dlqs} />
      )}
    </Page>
  )
}

function Proof({
  problems: { isProved, findings, properties },
}: {
  readonly problems: Schemas['TopologyProblems']
}): ReactNode {
  if (isProved)
    return (
      <Notice tone="good">
        <span title={properties.map(({ property }) => property).join(', ')}>
          Proved: no path of the declared topology loses, loops or doubles a message.
        </span>
      </Notice>
    )
  return (
    <section className="flex flex-col gap-2">
      <SectionTitle>What is not proved</SectionTitle>
      {findings.map(({ code, queue, path, problem, wayOut }) => (
        <div key={`${code} ${queue} ${problem}`} className="rounded-lg border border-bad/30 bg-bad-soft p-3">
          <p className="foreign font-medium text-bad">{problem}</p>
          {path.length > 0 && <p className="foreign mt-1 text-quiet">{path.join(' → ')}</p>}
          <p className="foreign mt-1">{wayOut}</p>
        </div>
      ))}
    </section>
  )
}
