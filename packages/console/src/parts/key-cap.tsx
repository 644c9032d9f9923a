import type { ReactNode } from 'react'

/** A key to press. */
export function KeyCap({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <kbd className="inline-grid min-w-5 place-items-center rounded border border-line bg-sunken px-1 font-sans text-xs text-quiet">
      {children}
    </kbd>
  )
}
