import type { ReactNode } from 'react'

/** Stands where rows will be. */
export function LoadingRows({ what }: { readonly what: string }): ReactNode {
  return (
    <div role="status" className="rounded-lg border border-line bg-panel px-4 py-6 text-quiet">
      <span className="inline-block motion-safe:animate-pulse">{what}…</span>
    </div>
  )
}
