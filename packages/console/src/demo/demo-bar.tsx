import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api, type Schemas } from '../api/api.ts'
import { dataOf } from '../api/api-problem.ts'
import { useForbidden } from '../app/use-session.ts'
import { Button } from '../parts/button.tsx'
import { ProblemNotice } from '../parts/notice.tsx'
import { ClockText } from '../parts/time-text.tsx'
import { formatCount } from '../words/format-count.ts'
import { demoKey, demoQuery } from './demo-query.ts'

type Demo = Schemas['Demo']

const steps = ['30s', '5m', '1h'] as const

/** Over every page of a demo: its clock, which the visitor can turn, and the world outside, which they can mend. */
export function DemoBar(): ReactNode {
  const { data: demo } = useQuery(demoQuery())
  const forbidden = useForbidden('dlq:redrive')
  const client = useQueryClient()
  const show = (now: Demo): void => {
    client.setQueryData(demoKey, now)
  }
  const turn = useMutation({
    mutationFn: async (forward: string) =>
      dataOf(await api.POST('/api/v1/demo/clock', { body: { forward } })),
    onSuccess: show,
  })
  const mend = useMutation({
    mutationFn: async (isMended: boolean) =>
      dataOf(await api.POST('/api/v1/demo/world', { body: { isMended } })),
    onSuccess: show,
  })
  if (!demo) return null
  const off = forbidden ?? (turn.isPending ? 'The clock is being turned.' : undefined)
  const error = turn.error ?? mend.error
  return (
    <section
      aria-label="Demo"
      className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line bg-chosen px-4 py-2 md:px-8"
    >
      <p className="num">
        <span className="font-medium">Demo</span>{' '}
        <span title="Waits run by it. The shop and this page keep the time of your computer.">
          broker’s clock <ClockText at={demo.now} />
        </span>{' '}
        <span className="text-quiet">{sayOrders(demo)}</span>
      </p>
      <div className="ml-auto flex flex-wrap items-center gap-2">
        <span className="text-quiet">Turn the clock</span>
        {steps.map((step) => (
          <Button key={step} onClick={() => turn.mutate(step)} offBecause={off}>
            +{step}
          </Button>
        ))}
        <Button
          isMain={!demo.isMended}
          onClick={() => mend.mutate(!demo.isMended)}
          offBecause={forbidden}
          hint="Whether the payment gateway and the carrier answer."
        >
          {demo.isMended ? 'Break it again' : 'Deploy the fix'}
        </Button>
      </div>
      {error && <ProblemNotice error={error} />}
    </section>
  )
}

function sayOrders({ orders: { placed, delivered, moving, waiting, parked } }: Demo): string {
  const parts = [
    `${formatCount(delivered)} delivered`,
    `${formatCount(moving)} on their way`,
    `${formatCount(waiting)} waiting`,
    `${formatCount(parked)} dead`,
  ]
  return `${formatCount(placed)} orders = ${parts.join(' + ')}`
}
