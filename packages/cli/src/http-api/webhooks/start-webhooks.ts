import type { FastifyBaseLogger } from 'fastify'
import type { ApiContext } from '../api-context.ts'
import { createFailureLog } from '../failure-log.ts'
import { Webhooks } from './webhooks.ts'

/** Starts to tell receivers what they asked for. An address may be a secret, so the log knows them by name. */
export function startWebhooks(context: ApiContext, log: FastifyBaseLogger): Webhooks {
  return new Webhooks({
    context,
    settings: context.settings.webhooks,
    onGivenUp: ({ name }, { id, event }, reason) =>
      log.error({ webhook: name, id, event: event.kind, reason }, 'a webhook was not delivered'),
    onError: createFailureLog(log, {
      level: 'warn',
      sentence: 'the dead-letter queues could not be checked for webhooks',
    }),
  })
}
