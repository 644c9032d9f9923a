import { ChannelError, ConsumerError } from '../../errors.ts'
import { escapeLine } from '../../message/escape-text.ts'
import { dropsOver, noWayOut, tooLarge, waitsToStart } from './render-log-line.ts'

/** What a consumer tells the process, once each, because a service may listen to no event. */
export interface ConsumerWarnings {
  /** A message that is run again and again would be a riddle. */
  noWayOut(): void
  /** A caller who awaits the start has no consumer to listen to yet. */
  startFailed(error: Error): void
  /** It could not be proved that a failed message is kept. */
  unproved(error: Error): void
  dropsOver(deliveryLimit: number): void
  tooLarge(bodyBytes: number): void
}

export function createConsumerWarnings(queue: string): ConsumerWarnings {
  const told = new Set<string>()

  function warn(code: string, message: string, once = code): void {
    if (told.has(once)) return
    told.add(once)
    // Node writes it to the terminal as it is, and names and a broker's words may hold anything.
    process.emitWarning(escapeLine(message), { code })
  }

  return {
    noWayOut: () => warn('WARREN_NO_WAY_OUT', noWayOut(queue)),
    startFailed: (error) => {
      // A lost connection is no reason to wait for: the session tells of it, and comes back.
      if (error instanceof ChannelError) warn('WARREN_CONSUMER_WAITS', waitsToStart(queue, error))
      if (error instanceof ConsumerError) warn(`WARREN_${error.code}`, error.message, error.message)
    },
    unproved: (error) => warn('WARREN_WAY_OUT_UNPROVED', error.message),
    dropsOver: (deliveryLimit) => warn('WARREN_DELIVERY_LIMIT', dropsOver(queue, deliveryLimit)),
    tooLarge: (bodyBytes) => warn('WARREN_BODY_TOO_LARGE', tooLarge(queue, bodyBytes)),
  }
}
