import { Session, type SessionOptions } from './session.ts'

export interface SessionPair {
  readonly consuming: Session
  /** Apart, because a broker with an alarm stops reading a connection that publishes, acks included. */
  readonly publishing: Session
}

/** Two lines to one broker, or none: where the second is refused, the first must not keep the process alive. */
export async function openSessionPair(
  url: string | readonly string[],
  options: SessionOptions,
  publishingOptions: SessionOptions = options,
): Promise<SessionPair> {
  const consuming = await Session.open(url, options)
  try {
    return { consuming, publishing: await Session.open(url, publishingOptions) }
  } catch (error) {
    await consuming.close()
    throw error
  }
}
