import { EmbeddedBrokerError } from '../errors.ts'
import type { Broker } from './model/broker.ts'
import { grant, permissionOf } from './model/create-broker.ts'
import { type JsonObject, text } from './server/management/api-request.ts'
import { findVhost, importAll } from './server/management/import-definitions.ts'

/**
 * Puts into a broker what RabbitMQ's HTTP API has exported, of a whole broker or of one vhost. The user `guest` may
 * then do everything everywhere, unless the definitions say otherwise.
 */
export function loadDefinitions(broker: Broker, definitions: unknown): void {
  if (typeof definitions !== 'object' || definitions === null || Array.isArray(definitions)) {
    throw refused('they are not an object with lists such as "queues"')
  }
  const user = broker.users.get('guest')!
  try {
    broker.inbox.run(() =>
      importAll({ broker, user, body: definitions as JsonObject }, (item) =>
        findVhost(broker, text(item, 'vhost') ?? '/'),
      ),
    )
  } catch (error) {
    throw refused((error as Error).message, error)
  }
  for (const vhost of broker.vhosts.keys()) {
    if (!permissionOf(broker, vhost, user.name))
      grant(broker, { vhost, user: user.name, permission: everything })
  }
}

const everything = { configure: '.*', write: '.*', read: '.*' }

function refused(why: string, cause?: unknown): EmbeddedBrokerError {
  return new EmbeddedBrokerError(
    {
      code: 'EMBEDDED_DEFINITIONS_REFUSED',
      message: `The definitions cannot be loaded: ${why.trim().replace(/\.$/, '')}. Correct them, or export them again.`,
    },
    { cause },
  )
}
