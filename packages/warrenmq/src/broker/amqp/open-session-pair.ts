import { performance } from '../../world.ts'
import { Session, type SessionOptions } from './session.ts'

/** Two connections to one broker, under one name. */
export interface SessionPair {
  /**
   * Takes messages, so that nothing that is published can hold up an acknowledgement.
   * @example { consuming: session }
   */
  readonly consuming: Session
  /**
   * A connection of its own, because a broker with an alarm stops reading a connection that publishes, acks included.
   * @example { publishing: session }
   */
  readonly publishing: Session
}

/**
 * Two connections to one broker, or none: if the second is refused, the first must not keep the process alive.
 * @example
 * ```ts
 * const { consuming, publishing } = await openSessionPair('amqp://localhost', { name: 'my tool' })
 * ```
 */
export async function openSessionPair(
  url: string | readonly string[],
  options: SessionOptions,
  publishingOptions: SessionOptions = options,
): Promise<SessionPair> {
  const startedAtMs = performance.now()
  const consuming = await Session.open(url, options)
  try {
    // The time to wait is for both.
    const { waitForBrokerMs } = publishingOptions
    const leftMs = waitForBrokerMs && Math.max(0, waitForBrokerMs - (performance.now() - startedAtMs))
    const left = leftMs === undefined ? {} : { waitForBrokerMs: leftMs }
    return { consuming, publishing: await Session.open(url, { ...publishingOptions, ...left }) }
  } catch (error) {
    await consuming.close()
    throw error
  }
}
