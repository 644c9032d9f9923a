import type { ReactNode } from 'react'

/** Nothing is there, what that means, and what to do next. */
export function EmptyState({
  title,
  children,
}: {
  readonly title: string
  readonly children?: ReactNode
}): ReactNode {
  return (
    <div className="rounded-lg border border-dashed border-line px-6 py-14 text-center">
      <p className="text-base font-medium">{title}</p>
      {children && <div className="mx-auto mt-1 max-w-prose text-quiet">{children}</div>}
    </div>
  )
}
