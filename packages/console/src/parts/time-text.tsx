import type { ReactNode } from 'react'
import { formatAge } from '../words/format-age.ts'
import { formatMoment, formatWholeMoment } from '../words/format-moment.ts'

/** A time in the reader's zone; UTC on hover. */
export function TimeText({ at }: { readonly at: string }): ReactNode {
  return (
    <time dateTime={at} title={`${at} (UTC)`} className="num whitespace-nowrap">
      {formatWholeMoment(at)}
    </time>
  )
}

/** The same without the day, if it is today. */
export function ClockText({ at }: { readonly at: string }): ReactNode {
  return (
    <time dateTime={at} title={`${at} (UTC)`} className="num whitespace-nowrap">
      {formatMoment(at)}
    </time>
  )
}

/** How long ago; the time itself on hover. */
export function AgeText({
  at,
  isBare = false,
}: {
  readonly at: string | null
  /** Without "ago". */
  readonly isBare?: boolean
}): ReactNode {
  if (at === null) return <span title="The time is unknown.">–</span>
  return (
    <time dateTime={at} title={`${formatWholeMoment(at)}\n${at} (UTC)`} className="num whitespace-nowrap">
      {formatAge(Date.now() - Date.parse(at))}
      {!isBare && ' ago'}
    </time>
  )
}
