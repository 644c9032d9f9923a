import Type, { type TSchema, type TUnknown } from 'typebox'
import { dlq, queueParams } from './dlqs.ts'
import type { EndpointList } from './endpoint.ts'
import { exampleId } from './lists.ts'
import { adminRedriveRequest } from './requests.ts'
import {
  count,
  integer,
  list,
  named,
  object,
  oneOf,
  orNull,
  parameters,
  type SchemaValue,
  table,
  tellAs,
  text,
} from './schema.ts'

/** The endpoints of the isolated layout. */

const adminQueues = named('AdminQueues', 'The known dead-letter queues.', {
  queues: list(
    object('A dead-letter queue.', {
      queue: dlq,
      messages: orNull(integer('Ready messages. Null: the queue was just deleted.', 42)),
    }),
    'The queues the caller may read.',
  ),
})
export type AdminQueues = SchemaValue<typeof adminQueues>

// Written as it comes: what others put into headers is not ours to check.
const headers = tellAs<TSchema>(
  Type.Unknown(),
  table('Its headers, by name.', { 'x-original-queue': 'billing.orders' }),
) as TUnknown
const adminMessage = named('AdminMessage', 'A dead letter.', {
  messageId: orNull(text('The id that its publisher gave it.', 'm-1')),
  type: orNull(text('Its type.', 'order.placed')),
  exchange: text('The exchange it was published to.', 'orders.events'),
  routingKey: text('The routing key it was published with.', 'order.placed'),
  headers,
  payload: orNull(text('Its body. Null: it is hidden.', '{"order":42}')),
  payloadEncoding: oneOf(['utf8', 'base64'], 'How the payload encodes the bytes of the body.'),
})
export type AdminMessage = SchemaValue<typeof adminMessage>
const adminMessages = named('AdminMessages', 'Messages from the head of a queue.', {
  queue: dlq,
  messages: list(adminMessage, 'The messages, in the order of the queue.'),
})
export type AdminMessages = SchemaValue<typeof adminMessages>
const adminMessagesQuery = parameters({
  limit: integer('The most messages.', 20, { minimum: 1, maximum: 500, default: 20 }),
})

const adminRedrive = named('AdminRedrive', 'The result.', {
  queue: dlq,
  requested: count('The limit.', 10),
  redriven: count('Messages that were put back.', 10),
  failed: count('Messages that their target did not accept.', 0),
  kept: count('Messages that were looked at and left in the queue.', 0),
  redriveId: text('The id of the task.', exampleId),
})

const base = { tag: 'admin', needs: 'dlq:admin', asksBroker: true } as const
const path = '/admin/dlq/queues'
export const adminEndpoints = {
  adminQueues: {
    method: 'GET',
    path,
    ...base,
    summary: 'List the known dead-letter queues',
    description: 'Those in the config or, if it declares none, those in the vhost.',
    answer: adminQueues,
  },
  adminMessages: {
    method: 'GET',
    path: `${path}/:queue/messages`,
    ...base,
    looks: true,
    summary: 'List messages of a known dead-letter queue',
    description: 'From the head of the queue. The messages stay there.',
    params: queueParams,
    query: adminMessagesQuery,
    answer: adminMessages,
  },
  adminRedrive: {
    method: 'POST',
    path: `${path}/:queue/re-drive`,
    ...base,
    looks: true,
    summary: 'Put messages back through the retry exchange of their queue',
    description: 'Ten by default. The answer comes when it is done.',
    params: queueParams,
    body: adminRedriveRequest,
    answer: adminRedrive,
    mayLackBody: true,
    problems: ['API_APPROVAL_NEEDED', 'TASKS_UNAVAILABLE'],
  },
} satisfies EndpointList
