import type { ReactNode } from 'react'

const tones = {
  plain: 'text-quiet',
  good: 'text-good',
  warn: 'text-warn',
  bad: 'text-bad',
  accent: 'text-accent',
} as const

/** A word about the state of something, with a dot of its colour. */
export function Badge({
  tone = 'plain',
  children,
}: {
  readonly tone?: keyof typeof tones
  readonly children: ReactNode
}): ReactNode {
  return (
    <span className={`inline-flex items-center gap-1.5 whitespace-nowrap ${tones[tone]}`}>
      <span aria-hidden="true" className="size-1.5 rounded-full bg-current" />
      {children}
    </span>
  )
}
