import type { FieldTable } from '../../wire/field-value.ts'
import { toFieldTable } from '../../wire/plain-fields.ts'
import type { Profile } from '../model/profile.ts'

/** What the broker says of itself when a client connects, worded as RabbitMQ words it. */
export function serverProperties(profile: Profile, clusterName: string): FieldTable {
  return toFieldTable({
    capabilities: {
      publisher_confirms: true,
      exchange_exchange_bindings: true,
      'basic.nack': true,
      consumer_cancel_notify: true,
      'connection.blocked': true,
      consumer_priorities: true,
      authentication_failure_close: true,
      per_consumer_qos: true,
      direct_reply_to: true,
    },
    cluster_name: clusterName,
    copyright: 'The embedded broker of Warren, which behaves as RabbitMQ does',
    information: 'For development and tests. It keeps nothing on disk.',
    platform: `Erlang/OTP ${profile.erlangVersion}`,
    product: 'RabbitMQ',
    version: profile.version,
  })
}
