import type { ReactNode } from 'react'

export function Wordmark(): ReactNode {
  return (
    <span className="inline-flex items-center gap-2 text-base font-semibold tracking-tight">
      <svg aria-hidden="true" viewBox="0 0 32 32" className="size-5">
        <rect width="32" height="32" rx="7" className="fill-action" />
        <path
          d="M8 9l4.2 14L16 12.5 19.8 23 24 9"
          fill="none"
          stroke="#fff"
          strokeWidth="2.6"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
      Warren
    </span>
  )
}
