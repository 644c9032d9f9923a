import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../api/api.ts'
import { SectionTitle } from '../parts/page.tsx'
import { ClockText } from '../parts/time-text.tsx'
import { formatAge } from '../words/format-age.ts'
import { type LifeStep, lifeSteps } from './life-steps.ts'

const dots: Readonly<Record<LifeStep['kind'], string>> = {
  published: 'bg-good',
  failed: 'bg-warn',
  died: 'bg-faint',
  'put-back': 'bg-accent',
  parked: 'bg-bad',
}

export function LifeLine({ message }: { readonly message: Schemas['MessageDetail'] }): ReactNode {
  const steps = lifeSteps(message)
  return (
    <section>
      <SectionTitle>Its life</SectionTitle>
      <ol className="rounded-lg border border-line bg-panel px-4 py-3">
        {steps.map((step, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the steps of a life have nothing but their order.
          <li key={index} className="group relative pb-4 pl-5 last:pb-0">
            <span
              aria-hidden="true"
              className={`keeps-colour absolute top-1.5 left-0 size-2 rounded-full ${dots[step.kind]}`}
            />
            <span
              aria-hidden="true"
              className="absolute top-4 bottom-0 left-[3px] w-px bg-line group-last:hidden"
            />
            <Step step={step} before={steps[index - 1]} />
          </li>
        ))}
      </ol>
    </section>
  )
}

function Step({
  step,
  before,
}: {
  readonly step: LifeStep
  readonly before: LifeStep | undefined
}): ReactNode {
  const { title, detail, at, task } = step
  const pause = at !== null && before?.at ? Date.parse(at) - Date.parse(before.at) : 0
  return (
    <>
      <p className="font-medium">{title}</p>
      <p className="foreign text-quiet">{detail}</p>
      {at !== null && (
        <p className="num text-xs text-quiet">
          <ClockText at={at} />
          {pause >= 1_000 && `, ${formatAge(pause)} later`}
        </p>
      )}
      {task !== undefined && (
        <Link to="/tasks/$id" params={{ id: task }} className="text-xs text-accent hover:underline">
          See the re-drive
        </Link>
      )}
    </>
  )
}
