const barCells = 24

export interface ProgressFields {
  readonly done: number
  readonly total: number
  readonly elapsedMs: number
  /** Told behind the numbers. */
  readonly note?: string | undefined
}

/** A bar with the rate and what is left of the time: `[######------] 12000 of 24000  3000/s  4 s to go`. */
export function renderProgressBar(fields: ProgressFields): string {
  const { done, total } = fields
  const filled = total === 0 ? barCells : Math.min(barCells, Math.floor((done / total) * barCells))
  return `[${'#'.repeat(filled)}${'-'.repeat(barCells - filled)}] ${renderProgressLine(fields)}`
}

/** The same for a log. */
export function renderProgressLine({ done, total, elapsedMs, note }: ProgressFields): string {
  const perSecond = (done * 1000) / Math.max(1, elapsedMs)
  const left = Math.max(0, total - done)
  const toGo = perSecond === 0 ? '' : `  ${renderSeconds(left / perSecond)} to go`
  return `${done} of ${total}${note === undefined ? '' : ` ${note}`}  ${Math.round(perSecond)}/s${toGo}`
}

/** In place of both while nothing can move. */
export function renderWaiting(waitingMs: number): string {
  return `waiting for the broker for ${renderSeconds(waitingMs / 1000)}`
}

/** While it waits whether what it moved comes back; the look itself takes as long as it takes. */
export function renderWatching({ moved, leftMs }: { moved: number; leftMs: number }): string {
  const left = leftMs === 0 ? '' : `, up to ${renderSeconds(leftMs / 1000)} more`
  return `${moved} moved; watching for messages that die again${left}`
}

function renderSeconds(seconds: number): string {
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole} s`
  return `${Math.floor(whole / 60)} min ${whole % 60} s`
}
