import type { Role, WayIn } from '../contract/contract.ts'

/** Who asks, as far as it is proved. */
export interface Caller {
  readonly name: string
  readonly role: Role
  readonly wayIn: WayIn
  /** The queues they may see, as RabbitMQ's own read permission says it; undefined for all. */
  readonly readableQueues: string | undefined
  /**
   * RabbitMQ does not tell which queues they may read. They are shown which there are and why messages died, and no
   * payload. @default false
   */
  readonly isReadUnknown?: boolean | undefined
  /** Set where the proof is a cookie, which a browser sends whether or not its user means it. */
  readonly csrfToken?: string | undefined
  /** Set where the proof is a cookie. */
  readonly session?: CallerSession | undefined
}

export interface CallerSession {
  readonly id: string
  readonly expiresAt: string
  /** What becomes of the account can be seen, and the session goes by it. */
  readonly isWatched: boolean
}
