/**
 * The headers that Warren writes. Names of the reference systems keep their `x-`; names of our own have none,
 * because RabbitMQ and its plugins claim that prefix.
 */
export const warrenHeaders = {
  /** Failed attempts so far, where a layout counts by publishing. */
  attempts: 'warren-attempts',
  /** The rejections in an `x-death` that was published along; see `deathsSeen`. */
  deathsSeen: 'warren-deaths-seen',
  /** What was taken off by `stripBrokerHeaders`. */
  stripped: 'warren-stripped',
  reason: 'warren-reason',
  cause: 'warren-cause',
  errorType: 'warren-error-type',
  errorStack: 'warren-error-stack',
  service: 'warren-service',
  host: 'warren-host',
  firstFailedAt: 'warren-first-failed-at',
  lastFailedAt: 'warren-last-failed-at',
  retryCount: 'x-retry-count',
  originalQueue: 'x-original-queue',
  originalExchange: 'x-original-exchange',
  originalRoutingKey: 'x-original-routing-key',
  finalError: 'x-final-error',
  finalStatusCode: 'x-final-status-code',
  finalRetryCount: 'x-final-retry-count',
} as const
