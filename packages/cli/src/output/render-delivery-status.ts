/** What `warren deliver` has done so far. */
export interface DeliveryTally {
  delivered: number
  retried: number
  deadLettered: number
  /** Too early, and put off. */
  deferred: number
  /** Settled by a broker that was gone by then: these come again. */
  stale: number
}

/** The one line that a person watches. */
export function renderDeliveryStatus({
  queue,
  tally,
  running,
  breaker,
  isConnected,
}: {
  readonly queue: string
  readonly tally: DeliveryTally
  readonly running: number
  readonly breaker: 'closed' | 'open' | 'probing'
  readonly isConnected: boolean
}): string {
  const counts = [
    `${tally.delivered} delivered`,
    `${running} in flight`,
    ...(tally.retried > 0 ? [`${tally.retried} to retry`] : []),
    ...(tally.deferred > 0 ? [`${tally.deferred} deferred`] : []),
    ...(tally.deadLettered > 0 ? [`${tally.deadLettered} dead-lettered`] : []),
  ]
  const trouble = isConnected ? (breaker === 'closed' ? '' : `  breaker ${breaker}`) : '  reconnecting'
  return `${queue}: ${counts.join(', ')}${trouble}`
}
