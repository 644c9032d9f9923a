import type { ReactNode } from 'react'
import type { Schemas } from '../api/api.ts'
import { SectionTitle } from '../parts/page.tsx'
import { TimeText } from '../parts/time-text.tsx'
import { type LifeStep, lifeSteps } from './life-steps.ts'

const dots: Readonly<Record<LifeStep['kind'], string>> = {
  published: 'bg-good',
  died: 'bg-faint',
  parked: 'bg-bad',
}

export function LifeLine({ message }: { readonly message: Schemas['MessageDetail'] }): ReactNode {
  return (
    <section>
      <SectionTitle>Its life</SectionTitle>
      <ol className="rounded-lg border border-line bg-panel px-4 py-3">
        {lifeSteps(message).map((step, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the steps of a life have nothing but their order.
          <li key={index} className="group relative pb-4 pl-5 last:pb-0">
            <span
              aria-hidden="true"
              className={`absolute top-1.5 left-0 size-2 rounded-full ${dots[step.kind]}`}
            />
            <span
              aria-hidden="true"
              className="absolute top-4 bottom-0 left-[3px] w-px bg-line group-last:hidden"
            />
            <p className="font-medium">{step.title}</p>
            <p className="foreign text-quiet">{step.detail}</p>
            {step.at !== null && (
              <p className="text-xs text-quiet">
                <TimeText at={step.at} />
              </p>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}
