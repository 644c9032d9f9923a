import type { Logger, Warren } from 'warrenmq'

/** Writes into a log what becomes of the application's connections to the broker. */
export function logConnection({ events }: Pick<Warren<string>, 'events'>, logger: Logger): void {
  events.on('connection.opened', ({ endpoint, product, version }) =>
    logger.info({ endpoint, product, version }, 'Connected.'),
  )
  events.on('connection.lost', ({ error, nextAttemptMs }) =>
    logger.warn({ error: error.message, nextAttemptMs }, 'The connection is lost; connecting again.'),
  )
  events.on('connection.failed', ({ error, nextAttemptMs }) =>
    logger.warn({ error: error.message, nextAttemptMs }, 'No connection yet; trying again.'),
  )
  events.on('connection.blocked', ({ reason }) =>
    logger.warn({ reason }, 'The broker takes no publishes for now.'),
  )
  events.on('connection.unblocked', () => logger.info({}, 'The broker takes publishes again.'))
}
