import type { SessionPair } from './amqp/open-session-pair.ts'
import type { Management } from './management/open-management.ts'

/** A broker as everything that works on queues reaches it. */
export interface Broker extends SessionPair {
  /**
   * Tells types, limits and routes. Without it only the broker's own answers protect.
   * @example { management }
   */
  readonly management?: Management | undefined
}
