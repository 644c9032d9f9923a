import type { ReactNode } from 'react'

/** What is known of something, each fact with its name. */
export function FactList({
  facts,
  isProse = false,
}: {
  readonly facts: readonly (readonly [string, ReactNode])[]
  /** They are sentences, and not what a machine wrote. */
  readonly isProse?: boolean
}): ReactNode {
  return (
    <dl className="rounded-lg border border-line bg-panel">
      {facts.map(([name, value], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two facts may have one name, and none moves.
        <div key={index} className="flex gap-3 border-b border-line px-3 py-1.5 last:border-b-0">
          <dt className="w-28 shrink-0 text-quiet">{name}</dt>
          <dd
            className={`foreign min-w-0 [&_time]:font-sans [&_time]:whitespace-normal ${isProse ? '' : 'font-mono text-xs leading-5'}`}
          >
            {value}
          </dd>
        </div>
      ))}
    </dl>
  )
}
