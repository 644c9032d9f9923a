import Type from 'typebox'
import type { EndpointList } from './endpoint.ts'
import { cursor, filter, queueName, snapshotIdPattern } from './lists.ts'
import {
  anything,
  as,
  count,
  flag,
  integer,
  list,
  named,
  number,
  object,
  oneOf,
  orNull,
  parameters,
  type SchemaValue,
  text,
  time,
} from './schema.ts'

/** Dead-letter queues, why their messages died, and the messages themselves. */

export const dlq = as(queueName, 'The name of the dead-letter queue.')
export const queueParams = parameters({ queue: dlq })
export type QueueParams = SchemaValue<typeof queueParams>

export const queueType = orNull(text('The type of the queue. Null: unknown.', 'quorum'))
const consumers = orNull(integer('Consumers of the queue, counted together with its messages.', 0))
const causeFields = {
  id: text('The id of the cause; the same cause always has the same id.', 'c-1f0e3dad'),
  label: text('The cause in words.', 'PaymentDeclinedError: card expired'),
  kind: oneOf(
    ['error', 'death', 'unknown'],
    'Where the cause comes from: an error that a consumer wrote to the headers, what RabbitMQ wrote about the death, or nothing.',
  ),
}
export const dlqItem = named('Dlq', 'A dead-letter queue.', {
  queue: dlq,
  type: queueType,
  messages: orNull(
    integer(
      'Ready messages: exact, and at most a second old. While somebody looks at the queue, the look holds messages, and these are not ready. Null: the queue was just deleted.',
      42,
    ),
  ),
  unacknowledged: orNull(
    integer(
      'Messages that a look, a re-drive or a consumer holds. RabbitMQ counts every five seconds. Null: it does not say.',
      0,
    ),
  ),
  total: orNull(
    integer(
      'All messages of the queue, ready or held: what a look leaves as it is. While something holds messages it is up to five seconds old. Null: the queue was just deleted.',
      42,
    ),
  ),
  perSecond: orNull(
    number(
      'How fast the queue has grown over the last minute; negative if it shrank. Null: this server has not seen it for long enough.',
      0.5,
    ),
  ),
  consumers,
  originConsumers: orNull(
    integer(
      'Consumers of the queues in sources, all together: 0 means that nobody would handle what is put back. Null: the sources are unknown, you may not read one of them, or RabbitMQ does not say.',
      2,
    ),
  ),
  oldestDeath: orNull(
    time(
      'When the oldest of its messages died, as the newest snapshot of the whole queue on this server says. Null: there is none.',
      '2030-01-31T17:00:00.000Z',
    ),
  ),
  mainCause: orNull(
    object('What most of its messages died of, as that snapshot says. Null: there is none.', {
      ...causeFields,
      count: count('Messages that died of it.', 40),
      asOf: time('The snapshot shows the queue as it was then.'),
    }),
  ),
  sources: list(text('The name of a queue.', 'billing.orders'), 'The queues whose dead letters come here.'),
  knownBy: oneOf(
    ['topology', 'dead-lettering', 'name'],
    'Why it counts as a dead-letter queue: the config says so, other queues dead-letter into it, or its name looks like one.',
  ),
})
export type Dlq = SchemaValue<typeof dlqItem>
export const dlqList = named('DlqList', 'The dead-letter queues of the vhost.', {
  vhost: text('The vhost this server works on.', '/'),
  items: list(dlqItem, 'The queues the caller may read.'),
})
export type DlqList = SchemaValue<typeof dlqList>

const present = count('Messages in the queue.', 42)
/** Of the endpoints that can read either. */
const ofSnapshot = {
  snapshot: Type.Optional(
    text(
      'Read this snapshot instead of the queue. Then the broker is not asked, and asOf says how old the answer is.',
      'warren-1.5f0c9a5e.3c7b4a539b4e0a4f',
      { pattern: snapshotIdPattern },
    ),
  ),
}
const asOf = orNull(
  time('The snapshot that was read shows the queue as it was then. Null: the queue itself was looked at.'),
)
const isWhole = (otherwise: string) =>
  flag(`Every message was looked at. False: messages had to go back to the queue first; ${otherwise}.`, true)

const cause = named('Cause', 'Why a message died.', causeFields)
export type Cause = SchemaValue<typeof cause>

const fieldName = text('The name of a field.', 'body.gateway')
const fieldValue = orNull(text('The value of the field. Null: the messages have no such field.', 'stripe'))
const causeCount = named('CauseCount', 'A cause, and how many messages died of it.', {
  ...causeFields,
  count: count('Messages that died of it.', 40),
  first: orNull(time('When the first of them died. Null: unknown.', '2030-01-31T17:00:00.000Z')),
  last: orNull(time('When the last of them died. Null: unknown.')),
  sample: orNull(text('The id of the first of the messages. Null: its publisher gave it none.', 'm-1')),
  by: list(
    object('A field of groupBy.', { field: fieldName, value: fieldValue }),
    'The values of the groupBy fields in this group.',
  ),
  splits: list(
    object('A field that tells the messages apart.', {
      field: fieldName,
      values: list(
        object('A value of the field.', { value: fieldValue, count: count('Messages that have it.', 25) }),
        'The values of the field.',
      ),
    }),
    'Fields to group by next, the most promising first, if only a reason is known.',
  ),
})
export const causeList = named('CauseList', 'Why the messages of a queue died.', {
  queue: dlq,
  present,
  seen: count('Messages that were looked at.', 42),
  isWhole: isWhole('the counts cover only those seen'),
  asOf,
  causes: list(causeCount, 'The causes, most frequent first.'),
})
export type CauseList = SchemaValue<typeof causeList>
const causesQuery = parameters({
  groupBy: Type.Optional(
    text(
      'Fields to group by, separated by commas, as warren dlq causes --group-by takes them.',
      'key,body.gateway',
      { minLength: 1, maxLength: 2048 },
    ),
  ),
  where: Type.Optional(filter),
  ...ofSnapshot,
})

export const messageQuery = parameters({
  where: Type.Optional(filter),
  ...ofSnapshot,
  limit: integer('The maximum number of messages per page.', 50, { minimum: 1, maximum: 500, default: 50 }),
  cursor: Type.Optional(cursor),
})
export type MessageQuery = SchemaValue<typeof messageQuery>

const messageKey = text('Identifies the message in this API.', '0cc175b9c0f1b6a831c399e269772661')
const exchange = text(
  'The exchange the message was published to; empty for the default exchange.',
  'orders.events',
)
const routingKey = text('The routing key it was published with.', 'order.placed')
const summary = {
  key: as(
    messageKey,
    'Identifies the message in this API. It is derived from the content, so a message without an id has one, too.',
  ),
  id: orNull(text('The id that its publisher gave it.', 'm-1')),
  type: orNull(text('Its type, from the property or from a header.', 'order.placed')),
  exchange,
  routingKey,
  failedIn: orNull(text('The queue it failed in. Null: unknown.', 'billing.orders')),
  cause,
  diedAt: orNull(time('When it died. Null: unknown.')),
  attempts: orNull(integer('How often it was tried. Null: unknown.', 6)),
  bodyBytes: count('The size of its body.', 14),
}
export const messageSummary = named('MessageSummary', 'A dead letter in a list.', summary)
export type MessageSummary = SchemaValue<typeof messageSummary>
export const messagePage = named('MessagePage', 'A page of dead letters.', {
  queue: dlq,
  present,
  isWhole: isWhole('nextCursor continues from there'),
  asOf,
  items: list(messageSummary, 'The messages, in the order of the queue.'),
  nextCursor: orNull(text('Leads to the next page. Null: this is the last one.', '1f')),
})
export type MessagePage = SchemaValue<typeof messagePage>

export const messageParams = parameters({
  queue: dlq,
  key: {
    ...as(messageKey, 'The key of the message, from the list: 32 hexadecimal digits.'),
    pattern: '^[0-9a-f]{32}$',
  },
})

const property = (description: string, example: string) => orNull(text(description, example))
const messageProperties = named(
  'MessageProperties',
  'The AMQP properties of a message, unchanged, without the headers. Null: the message has no such property.',
  {
    contentType: property('The media type of the body.', 'application/json'),
    contentEncoding: property('How the body is packed.', 'gzip'),
    deliveryMode: orNull(integer('2: the message survives a restart of the broker.', 2)),
    priority: orNull(integer('The priority of the message.', 0)),
    correlationId: property('The correlation id.', 'c-17'),
    replyTo: property('The queue a reply should go to.', 'billing.answers'),
    expiration: property('After how many milliseconds it expires.', '60000'),
    messageId: property('The id that its publisher gave it.', 'm-1'),
    timestamp: property(
      'When its publisher says it was created, as ISO 8601; the seconds as text if they are not a valid date.',
      '2030-01-31T18:00:00.000Z',
    ),
    type: property('Only the property type; the type of the message may come from a header.', 'order.placed'),
    userId: property('The account that published it.', 'billing'),
    appId: property('The application that published it.', 'shop'),
    clusterId: property('No longer used by RabbitMQ.', 'one'),
  },
)
export type MessageProperties = SchemaValue<typeof messageProperties>
const typedHeader = named('TypedHeader', 'A header with its AMQP type.', {
  name: text('The name of the header.', 'tenant'),
  type: text('The letter of the AMQP type: S text, I int32, l int64, T time, F table, and so on.', 'S'),
  value: anything('The value as JSON: bytes in base64, whole numbers beyond 2^53 as text.', 'acme'),
})
export type TypedHeader = SchemaValue<typeof typedHeader>
const deathRecord = named('DeathRecord', 'A death of the message, as RabbitMQ counts them.', {
  queue: text('The queue it died in.', 'billing.orders'),
  reason: text('Why: rejected, expired, maxlen or delivery_limit.', 'rejected'),
  count: count('How often it died there for that reason.', 6),
  firstAt: orNull(time('When it first did.')),
  exchange: orNull(exchange),
  routingKeys: list(routingKey, 'The routing keys it had then.'),
})
export type DeathRecord = SchemaValue<typeof deathRecord>
const encoding = oneOf(['utf8', 'base64'], 'How the text encodes the bytes of the body.')
const messageBody = named('MessageBody', 'The body of a message.', {
  encoding,
  text: text('The body.', '{"order":42}'),
  isCut: flag('The body is longer; this is only the start.', false),
  isMasked: flag('Some of its fields are hidden.', false),
})
export type MessageBody = SchemaValue<typeof messageBody>
export const messageDetail = object('One dead letter with everything known about it.', {
  ...summary,
  properties: messageProperties,
  headers: list(typedHeader, 'Its headers.'),
  deaths: list(deathRecord, 'Its deaths, oldest first, as far as the broker reports them.'),
  body: as(orNull(messageBody), 'The original body. Null: it is hidden.'),
  bodyHidden: orNull(
    oneOf(
      ['from-your-role', 'cannot-be-masked'],
      'Why the body is hidden: your role may not see bodies, or parts of bodies are masked and this one cannot be parsed for masking. Null: it is not hidden.',
    ),
  ),
  decoded: as(
    orNull(messageBody),
    'The decompressed body, if contentEncoding is gzip, deflate or br. Null: it is not compressed, is not in that encoding, decompresses to more than 1 MiB, or is hidden.',
  ),
})
export type MessageDetail = SchemaValue<typeof messageDetail>
const shownMessage = named('MessageDetail', 'One dead letter with everything known about it.', {
  asOf,
  ...messageDetail.properties,
})
export type ShownMessage = SchemaValue<typeof shownMessage>

const base = { tag: 'dead letters', needs: 'dlq:read', asksBroker: true } as const
const ofSnapshots = [
  'API_SNAPSHOT_ELSEWHERE',
  'API_TASK_NOT_ENDED',
  'API_TASK_ENDED',
  'BACKUP_INVALID',
] as const
export const dlqEndpoints = {
  listDlqs: {
    method: 'GET',
    path: '/api/v1/dlqs',
    ...base,
    summary: 'List the dead-letter queues with their depth',
    description:
      'Queues that the config declares, that other queues dead-letter into, or whose names look like one.',
    answer: dlqList,
  },
  listCauses: {
    method: 'GET',
    path: '/api/v1/dlqs/:queue/causes',
    ...base,
    looks: true,
    summary: 'Count why the messages of a queue died',
    description: 'Looks at every message without moving it. The most frequent cause comes first.',
    params: queueParams,
    query: causesQuery,
    answer: causeList,
    problems: [...ofSnapshots],
  },
  listMessages: {
    method: 'GET',
    path: '/api/v1/dlqs/:queue/messages',
    ...base,
    looks: true,
    summary: 'List the messages of a queue',
    description:
      'Page by page from the head of the queue. A filtered page looks through 20,000 messages at most, so it may be empty and still have a nextCursor.',
    params: queueParams,
    query: messageQuery,
    answer: messagePage,
    problems: [...ofSnapshots],
  },
  showMessage: {
    method: 'GET',
    path: '/api/v1/dlqs/:queue/messages/:key',
    ...base,
    looks: true,
    summary: 'Show one message',
    description: 'With its properties, its headers and their types, its deaths and its body.',
    params: messageParams,
    query: parameters(ofSnapshot),
    answer: shownMessage,
    problems: [...ofSnapshots],
  },
} satisfies EndpointList
