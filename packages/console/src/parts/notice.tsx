import type { ReactNode } from 'react'

type Tone = 'bad' | 'warn' | 'good' | 'plain'

const tones: Readonly<Record<Tone, string>> = {
  bad: 'border-bad/30 bg-bad-soft text-bad',
  warn: 'border-warn/30 bg-warn-soft text-warn',
  good: 'border-good/30 bg-good-soft text-good',
  plain: 'border-line bg-sunken text-quiet',
}

/** One sentence about what is the matter, and the way on. */
export function Notice({
  tone,
  children,
  action,
}: {
  readonly tone: Tone
  readonly children: ReactNode
  readonly action?: ReactNode
}): ReactNode {
  return (
    <div
      role={tone === 'bad' ? 'alert' : 'status'}
      className={`flex flex-wrap items-center gap-x-4 gap-y-2 rounded-md border px-3 py-2 ${tones[tone]}`}
    >
      <p className="foreign min-w-0 flex-1">{children}</p>
      {action}
    </div>
  )
}

/** What went wrong with a question to the server, in its words. */
export function ProblemNotice({
  error,
  onRetry,
  wayOn,
}: {
  readonly error: Error
  readonly onRetry?: () => void
  /** Where to go instead of trying again. */
  readonly wayOn?: ReactNode
}): ReactNode {
  const sentence = error instanceof TypeError ? 'The server does not answer.' : error.message
  return (
    <Notice
      tone="bad"
      action={
        wayOn ??
        (onRetry && (
          <button type="button" onClick={onRetry} className="font-medium underline">
            Try again
          </button>
        ))
      }
    >
      {sentence}
    </Notice>
  )
}
