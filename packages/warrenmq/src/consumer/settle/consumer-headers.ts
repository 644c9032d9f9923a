/** Headers that only consumers write and read. */
export const consumerHeaders = {
  /** Not to be handled before this time, in milliseconds since 1970. */
  deferredUntil: 'warren-deferred-until',
  /** Deliveries from a classic queue that ended without an answer. */
  deliveries: 'warren-deliveries',
  /** Copies made to restart a count. It grows, so that no copy looks like the one before it. */
  recounts: 'warren-recounts',
  /** It may have ended its process: its runs alone that ended without an answer. */
  suspect: 'warren-suspect',
  /** A copy that was made to be run alone, at its first delivery. */
  alone: 'warren-alone',
  /** The span of the attempt before this one, as W3C writes a traceparent. */
  lastAttempt: 'warren-last-attempt',
} as const
