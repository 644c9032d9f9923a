import type { ReactNode } from 'react'

/** Rows in a frame. */
export function RowList({
  label,
  children,
}: {
  readonly label: string
  readonly children: ReactNode
}): ReactNode {
  return (
    <ul aria-label={label} className="divide-y divide-line rounded-lg border border-line bg-panel">
      {children}
    </ul>
  )
}
