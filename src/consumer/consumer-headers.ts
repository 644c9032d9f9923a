/** Headers that only consumers write and read. */
export const consumerHeaders = {
  /** Not to be handled before this time, in milliseconds since 1970. */
  deferredUntil: 'warren-deferred-until',
  /** Deliveries from a classic queue that ended without an answer. */
  deliveries: 'warren-deliveries',
  /** Copies made to start a count anew. It grows, so that no copy looks like the one before it. */
  recounts: 'warren-recounts',
  /** The span of the attempt before this one, as W3C writes a traceparent. */
  lastAttempt: 'warren-last-attempt',
} as const
