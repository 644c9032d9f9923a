/** Publishes per second. */
export interface PaceState {
  readonly perSecond: number
  readonly tokens: number
  /** A tick was asked for. */
  readonly isWaking: boolean
}

export function startPace(perSecond: number | undefined): PaceState {
  return { perSecond: perSecond ?? Number.POSITIVE_INFINITY, tokens: 0, isWaking: false }
}

export function isEndless(pace: PaceState): boolean {
  return pace.perSecond === Number.POSITIVE_INFINITY
}

/** Never more than a tenth of a second's worth at a time, so that a rate is a rate and not a burst. */
export function fillPace(pace: PaceState, ms: number): PaceState {
  if (isEndless(pace)) return pace
  const burst = Math.max(1, pace.perSecond / 10)
  return { ...pace, tokens: Math.min(burst, pace.tokens + (ms / 1000) * pace.perSecond), isWaking: false }
}

/** How long until one may go. */
export function msToNext({ tokens, perSecond }: PaceState): number {
  return Math.max(1, Math.ceil(((1 - tokens) / perSecond) * 1000))
}
