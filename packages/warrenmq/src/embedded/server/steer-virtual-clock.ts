import { type Duration, parseDuration } from '../../message/duration.ts'
import type { VirtualClock } from '../model/virtual-clock.ts'
import type { AmqpConnection } from './amqp-connection.ts'
import { type SettleOptions, type Settling, settle } from './settle.ts'

/** The clock of an embedded broker, as a test holds it. */
export interface BrokerClock {
  /**
   * Milliseconds since 1970, as the broker sees them.
   * @example
   * ```ts
   * const nowMs = broker.clock.now()
   * ```
   */
  now(): number
  /**
   * Turns a virtual clock on: everything that becomes due happens in its order. Each time the clients get what it
   * sends them, and time waits until their handlers have settled it.
   * @example
   * ```ts
   * await broker.clock.advance('30m')
   * ```
   */
  advance(duration: Duration, options?: SettleOptions): Promise<void>
}

export function steerVirtualClock(clock: VirtualClock, settling: Settling): BrokerClock {
  return {
    now: () => clock.now(),
    advance: async (duration, options) => {
      const { connections, wake } = settling
      const untilMs = clock.now() + parseDuration(duration)
      wake.leaveOutCaller()
      await settle(settling, options)
      while (clock.step(untilMs)) {
        if (hasNews(connections())) await settle(settling, options, { isTurn: true })
      }
      await settle(settling, options, { isTurn: true })
    },
  }
}

function hasNews(connections: Iterable<AmqpConnection>): boolean {
  for (const connection of connections) if (!connection.isFlushed()) return true
  return false
}
