import type { Session } from '../broker/amqp/session.ts'
import { Publisher, type PublisherOptions } from './publisher.ts'

/**
 * A publisher on a session that somebody else closes.
 * @example
 * ```ts
 * const publisher = createPublisher(session)
 * ```
 */
export function createPublisher(session: Session, options: PublisherOptions = {}): Publisher {
  return new Publisher(session, options)
}
