import type { ReactNode } from 'react'

/** What is known of something, each fact with its name. */
export function FactList({
  facts,
}: {
  readonly facts: readonly (readonly [string, ReactNode])[]
}): ReactNode {
  return (
    <dl className="rounded-lg border border-line bg-panel">
      {facts.map(([name, value]) => (
        <div key={name} className="flex gap-3 border-b border-line px-3 py-1.5 last:border-b-0">
          <dt className="w-28 shrink-0 text-quiet">{name}</dt>
          <dd className="foreign min-w-0 font-mono text-xs leading-5 [&_time]:font-sans [&_time]:whitespace-normal">
            {value}
          </dd>
        </div>
      ))}
    </dl>
  )
}
