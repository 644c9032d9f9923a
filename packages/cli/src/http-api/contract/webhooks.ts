import Type from 'typebox'
import type { EndpointList } from './endpoint.ts'
import { count, flag, list, named, object, orNull, type SchemaValue, text, time } from './schema.ts'

const webhook = named('Webhook', 'A receiver of alerts, and how it takes them. Its address is never shown.', {
  name: text('Its name in the config.', 'on-call'),
  queues: list(
    Type.String({ examples: ['billing.*'] }),
    'Patterns of the queues it is about. Empty: all dead-letter queues.',
  ),
  rules: list(Type.String({ examples: ['more than 1,000 messages'] }), 'What it hears about, in words.'),
  waiting: count('Events that it has not accepted yet.', 0),
  accepted: count('Events that it accepted since this server started.', 12),
  acceptedAt: orNull(time('When it last accepted one. Null: not since this server started.')),
  givenUp: count('Events that this server gave up since it started.', 0),
  failure: orNull(
    object('The last attempt that failed, if none succeeded after it.', {
      at: time('When.'),
      reason: text('Why.', 'it answered 503'),
    }),
  ),
})

const webhookList = named('WebhookList', 'The receivers of alerts that the config of this server names.', {
  isSending: flag(
    'This server sends the alerts. Of several servers one does; the counts of the others are zero.',
    true,
  ),
  items: list(webhook, 'In the order of the config.'),
})
export type WebhookList = SchemaValue<typeof webhookList>

export const webhookEndpoints = {
  listWebhooks: {
    method: 'GET',
    path: '/api/v1/webhooks',
    tag: 'operation',
    needs: 'topology:read',
    summary: 'Show who is alerted, and whether alerts arrive',
    description: 'What the server sends by itself, as configured in server.webhooks.',
    answer: webhookList,
  },
} satisfies EndpointList
