import type { Clock } from '../../clock.ts'
import type { EventSource } from '../../events.ts'
import type { DeliveryResult, UnplacedCopy } from '../run/delivery-result.ts'
import { attemptOf, type Run } from '../run/run.ts'
import type { ConsumerEvents, DeliveryEvent } from './consumer-events.ts'
import type { ConsumerWarnings } from './consumer-warnings.ts'

/** The listeners for deliveries. */
export interface Audience {
  readonly queue: string
  readonly events: EventSource<ConsumerEvents>
  readonly warnings: Pick<ConsumerWarnings, 'noWayOut'>
  readonly clock: Pick<Clock, 'now'>
}

/** Makes the event of a result. */
export function tellResult(run: Run, result: DeliveryResult, audience: Audience): void {
  const { queue, events, warnings, clock } = audience
  // It would be made for every message, and most of the time nobody listens.
  if (result.kind === 'settled' && events.listenerCount('delivery.settled') === 0) return
  const event = deliveryEvent(run, queue)
  if (result.kind === 'settled') {
    const { startedAtMs } = run
    const durationMs = startedAtMs === undefined ? undefined : clock.now() - startedAtMs
    events.emit('delivery.settled', { ...event, outcome: result.outcome, durationMs })
  } else if (result.kind === 'stale') {
    events.emit('delivery.stale', { ...event, outcome: result.outcome })
  } else if (result.outcome.kind === 'hold') {
    if (result.outcome.why === 'no-way-out') warnings.noWayOut()
    events.emit('delivery.held', { ...event, outcome: result.outcome })
  }
}

export function tellUnplaced(
  run: Run,
  { outcome, result, nextAttemptMs }: UnplacedCopy,
  { queue, events }: Audience,
): void {
  events.emit('settle.failed', { ...deliveryEvent(run, queue), outcome, result, nextAttemptMs })
}

export function deliveryEvent(run: Run, queue: string): DeliveryEvent {
  return { queue, message: run.message, attempt: attemptOf(run) }
}
