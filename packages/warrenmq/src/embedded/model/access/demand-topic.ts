import type { Broker } from '../broker.ts'
import type { Exchange } from '../exchange/exchange.ts'
import { ProtocolError } from '../protocol-error.ts'
import type { Actor } from './actor.ts'
import { matchesPattern } from './name-pattern.ts'
import type { TopicPermission } from './topic-permission.ts'

export function grantTopics(
  broker: Broker,
  { vhost, user, permission }: { vhost: string; user: string; permission: TopicPermission },
): void {
  const ofVhost = broker.topicPermissions.get(vhost) ?? new Map<string, Map<string, TopicPermission>>()
  const ofUser = ofVhost.get(user) ?? new Map<string, TopicPermission>()
  broker.topicPermissions.set(vhost, ofVhost.set(user, ofUser.set(permission.exchange, permission)))
}

/** All of them, in a list with whose they are. */
export function listTopicPermissions(
  broker: Broker,
): readonly (TopicPermission & { readonly user: string; readonly vhost: string })[] {
  return [...broker.topicPermissions].flatMap(([vhost, byUser]) =>
    [...byUser].flatMap(([user, byExchange]) =>
      [...byExchange.values()].map((permission) => ({ user, vhost, ...permission })),
    ),
  )
}

/** Refuses a key that the user may not use with this exchange. Who has no topic permission for it may use any. */
export function demandTopic(
  { broker, vhost, user, isTrusted }: Actor,
  access: 'write' | 'read',
  { exchange, key }: { exchange: Exchange; key: string },
): void {
  if (isTrusted || exchange.type !== 'topic' || broker.topicPermissions.size === 0) return
  const permission = broker.topicPermissions.get(vhost.name)?.get(user.name)?.get(exchange.name)
  if (!permission) return
  const pattern = permission[access].replaceAll('{username}', user.name).replaceAll('{vhost}', vhost.name)
  if (pattern !== '' && matchesPattern(pattern, key)) return
  const verb = broker.profile.namesRefusedPermission ? `${access} ` : ''
  throw new ProtocolError(
    'ACCESS_REFUSED',
    `${verb}access to topic '${key}' in exchange '${exchange.name}' in vhost '${vhost.name}' refused for user '${user.name}'`,
  )
}
