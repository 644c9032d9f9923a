import type { RedriveConnection } from './redrive-event.ts'

/**
 * What a re-drive waits for, and for how long already. `alarm`: the broker reads no publishes. `queue`: the queue is
 * there and cannot be reached, because its node is down or it has no leader.
 */
export interface WaitState {
  readonly awaited: Readonly<Record<AwaitedThing, boolean>>
  readonly waitedMs: number
  /** How often there was no connection to publish on, or an alarm, so far. */
  readonly connectionWaits: number
}

export type AwaitedThing = RedriveConnection | 'alarm' | 'queue'

export const noWait: WaitState = {
  awaited: { consuming: false, publishing: false, alarm: false, queue: false },
  waitedMs: 0,
  connectionWaits: 0,
}

export function isWaiting({ awaited }: WaitState): boolean {
  return awaited.consuming || awaited.publishing || awaited.alarm || awaited.queue
}

/** There is a connection to publish on, and no alarm. */
export function isSendable({ awaited }: WaitState): boolean {
  return !awaited.publishing && !awaited.alarm
}

export function beginWait(wait: WaitState, thing: AwaitedThing): WaitState {
  if (wait.awaited[thing]) return wait
  const connectionWaits = wait.connectionWaits + (thing === 'publishing' || thing === 'alarm' ? 1 : 0)
  const waitedMs = isWaiting(wait) ? wait.waitedMs : 0
  return { awaited: { ...wait.awaited, [thing]: true }, waitedMs, connectionWaits }
}

export function endWait(wait: WaitState, ...things: readonly AwaitedThing[]): WaitState {
  if (!things.some((thing) => wait.awaited[thing])) return wait
  const ended = Object.fromEntries(things.map((thing) => [thing, false]))
  return { ...wait, awaited: { ...wait.awaited, ...ended } }
}
