import Type from 'typebox'
import { dlq, messageDetail, messageParams, messageSummary, queueParams } from './dlqs.ts'
import type { EndpointList } from './endpoint.ts'
import { cursor, filter, snapshotIdPattern } from './lists.ts'
import { problem } from './problem.ts'
import {
  as,
  closed,
  count,
  flag,
  integer,
  list,
  named,
  object,
  oneOf,
  orNull,
  parameters,
  type SchemaValue,
  text,
  time,
} from './schema.ts'

/** What one look wrote down, and everything that is read from it without another look. */

const snapshotId = text(
  'Identifies the snapshot and the server that keeps it.',
  'warren-1.5f0c9a5e.3c7b4a539b4e0a4f',
)
const snapshotPart = {
  id: {
    ...as(snapshotId, 'The id of the snapshot.'),
    pattern: snapshotIdPattern,
  },
}
const snapshotParams = parameters({ queue: dlq, ...snapshotPart })

/** In the order of a snapshot's life. One that has ended otherwise than done holds nothing. */
export const snapshotStates = ['running', 'done', 'cancelled', 'failed'] as const
const asOf = time('The snapshot shows the queue as it was then, when its last message was seen.')

const since = object('How the queue has changed since.', {
  messages: orNull(
    count(
      'Messages in the queue now, at most a second old. Null: the look holds them, the queue has just gone away, or the broker is away.',
      44,
    ),
  ),
  change: orNull(
    integer(
      'How many more messages there are now than then; negative if there are fewer. Arrivals and departures cancel out.',
      2,
    ),
  ),
  acknowledged: orNull(
    count(
      'How many messages consumers and re-drives have acknowledged since: at least change + acknowledged arrived. RabbitMQ counts every five seconds. Null: it does not say.',
      1,
    ),
  ),
})

const snapshot = named('Snapshot', 'A copy of the dead letters of a queue, which one look made.', {
  id: snapshotId,
  queue: dlq,
  state: oneOf(
    snapshotStates,
    'While it is running, causes, facets and the histogram cover what was seen so far. You can read messages when it is done.',
    { title: 'SnapshotState', examples: ['done'] },
  ),
  by: text('Who asked for it first.', 'ann'),
  host: text('The host of the server that keeps it. No other server can read it.', 'warren-1'),
  where: as(orNull(filter), 'Only these messages are in it. Null: all of the queue.'),
  startedAt: time('When it was begun.'),
  endedAt: orNull(time('When it was done, cancelled or failed. Null: it is running.')),
  asOf,
  expiresAt: orNull(
    time('It is deleted then at the latest. Null: it is running.', '2030-01-31T19:00:00.000Z'),
  ),
  progress: object('How far the look is.', {
    present: count('Messages in the queue when the look began.', 42),
    seen: count('Messages that were looked at.', 42),
  }),
  isWhole: flag(
    'Every message of the queue was looked at. False: it is not done, or messages had to go back to the queue before that.',
    true,
  ),
  messages: count('Messages in the snapshot.', 42),
  bytes: count('Its size on the disk of the server.', 51_200),
  since,
  problem: as({ ...orNull(problem), examples: [null] }, 'Why it failed. Null: it did not.'),
})
export type Snapshot = SchemaValue<typeof snapshot>

const snapshotList = named('SnapshotList', 'The snapshots of a queue that this server keeps.', {
  queue: dlq,
  items: list(snapshot, 'The snapshots, the newest first.'),
})
export type SnapshotList = SchemaValue<typeof snapshotList>

const snapshotRequest = named(
  'SnapshotRequest',
  'Which dead letters to take into a snapshot.',
  { where: Type.Optional(filter) },
  closed,
)

/** Of every read. */
const readOf = {
  queue: dlq,
  snapshot: as(snapshotId, 'The snapshot that was read.'),
  asOf,
  since,
  messages: count('Messages in the snapshot.', 42),
  matched: count('How many of these match the filter, as far as the search is.', 40),
  search: object('How far the search is. A filter on headers or bodies takes longer.', {
    seen: count('Messages that were searched.', 42),
    isWhole: flag('All messages have been searched. False: the search continues; ask again for more.', true),
  }),
}
const whereQuery = { where: Type.Optional(filter) }

const snapshotCause = named('SnapshotCause', 'A cause, and how many messages of a snapshot died of it.', {
  ...messageSummary.properties.cause.properties,
  count: count('Messages that died of it.', 40),
  first: orNull(time('When the first of them died. Null: unknown.', '2030-01-31T17:00:00.000Z')),
  last: orNull(time('When the last of them died. Null: unknown.')),
  sample: text('The key of the first of the messages.', '0cc175b9c0f1b6a831c399e269772661'),
})
const snapshotCauses = named('SnapshotCauses', 'Why the messages of a snapshot died.', {
  ...readOf,
  causes: list(snapshotCause, 'The causes, the most frequent first.'),
})
export type SnapshotCauses = SchemaValue<typeof snapshotCauses>

/** The data of an event, whose name is `snapshot`: how far it is, and what was seen so far. */
export interface SnapshotGrowth {
  readonly snapshot: Snapshot
  readonly causes: SnapshotCauses['causes']
}

const facetField = oneOf(
  ['type', 'queue', 'exchange', 'key', 'header', 'attempts', 'cause'],
  'The field, as a filter names it.',
)
export type FacetField = SchemaValue<typeof facetField>
const facetList = named('SnapshotFacets', 'Which values the messages of a snapshot have.', {
  ...readOf,
  facets: list(
    object('A field.', {
      field: facetField,
      name: as(
        orNull(
          text('For a header: its name, as header.NAME in a filter. Null: it is another field.', 'tenant'),
        ),
        'For a header: its name, as header.NAME in a filter. Null: it is another field.',
      ),
      values: list(
        object('A value of the field.', {
          value: orNull(text('The value; for a cause, its id. Null: messages without one.', 'order.placed')),
          label: orNull(text('For a cause: the cause in words.', 'PaymentDeclinedError: card expired')),
          count: count('Messages that have it.', 25),
        }),
        'The most frequent values.',
      ),
      distinct: count('How many different values there are, including those that are not listed.', 3),
    }),
    'The fields.',
  ),
})
export type SnapshotFacets = SchemaValue<typeof facetList>
const facetQuery = parameters({
  ...whereQuery,
  most: integer('The maximum number of values per field.', 20, { minimum: 1, maximum: 200, default: 20 }),
})

const histogram = named('SnapshotHistogram', 'When the messages of a snapshot died.', {
  ...readOf,
  from: orNull(time('When the first of them died. Null: unknown.', '2030-01-31T17:00:00.000Z')),
  to: orNull(time('When the last of them died. Null: unknown.')),
  bucketMs: count('How long one bar is, in milliseconds.', 60_000),
  bars: list(
    object('A bar.', {
      from: time('Where it begins. It ends where the next one begins.', '2030-01-31T17:00:00.000Z'),
      count: count('Messages that died then.', 7),
    }),
    'All bars from the first death to the last, empty ones too.',
  ),
  undated: count('Messages without a known time of death.', 0),
})
export type SnapshotHistogram = SchemaValue<typeof histogram>
const histogramQuery = parameters({
  ...whereQuery,
  bars: integer('The most bars.', 60, { minimum: 1, maximum: 1000, default: 60 }),
})

const position = count('Its position in the queue when the look saw it; the first is 0.', 17)
const snapshotMessage = named('SnapshotMessage', 'A dead letter of a snapshot in a list.', {
  position,
  ...messageSummary.properties,
})
const snapshotPage = named('SnapshotPage', 'A page of the messages of a snapshot.', {
  ...readOf,
  items: list(snapshotMessage, 'The messages.'),
  nextCursor: orNull(text('Leads to the next page. Null: this is the last one.', '1f')),
})
export type SnapshotPage = SchemaValue<typeof snapshotPage>
const sortOrder = oneOf(
  ['position', 'diedAt', 'bodyBytes', 'attempts', '-position', '-diedAt', '-bodyBytes', '-attempts'],
  'What comes first: the head of the queue, the oldest death, the smallest, or the fewest attempts. A minus reverses the order. Unknown values come last.',
)
export type SortOrder = SchemaValue<typeof sortOrder>
const pageQuery = parameters({
  ...whereQuery,
  sort: Type.Optional(sortOrder),
  limit: integer('The maximum number of messages per page.', 50, { minimum: 1, maximum: 500, default: 50 }),
  cursor: Type.Optional(cursor),
})

const snapshotDetail = named('SnapshotMessageDetail', 'One dead letter of a snapshot.', {
  queue: dlq,
  snapshot: readOf.snapshot,
  asOf,
  since,
  position,
  sameContent: count('Other messages of the snapshot with the same content, and so with the same key.', 0),
  ...messageDetail.properties,
})
export type SnapshotMessageDetail = SchemaValue<typeof snapshotDetail>

const collection = '/api/v1/dlqs/:queue/snapshots'
const path = `${collection}/:id`
const base = { tag: 'snapshots', needs: 'dlq:read', asksBroker: true } as const
const elsewhere = ['API_SNAPSHOT_ELSEWHERE'] as const
const reading = { method: 'GET', ...base, params: snapshotParams } as const
const filtered = [
  'FILTER_INVALID',
  'INVALID_ARGUMENT',
  'API_TASK_NOT_ENDED',
  'API_TASK_ENDED',
  'BACKUP_INVALID',
  ...elsewhere,
] as const
export const snapshotEndpoints = {
  makeSnapshot: {
    method: 'POST',
    path: collection,
    ...base,
    looks: true,
    status: 202,
    summary: 'Make a snapshot of a queue',
    description:
      'One look copies the messages to the server; then pages, filters and single messages are read there and cost the broker nothing. A second request for the same snapshot while it runs gets the same one. It is deleted when it expires, when others need its space, and when the server ends.',
    params: queueParams,
    body: snapshotRequest,
    mayLackBody: true,
    answer: snapshot,
    locates: 'The snapshot.',
    problems: ['API_SNAPSHOT_NO_ROOM', 'BACKUP_NOT_WRITTEN'],
  },
  listSnapshots: {
    method: 'GET',
    path: collection,
    ...base,
    summary: 'List the snapshots of a queue',
    description: 'Those that the answering server keeps, the newest first.',
    params: queueParams,
    answer: snapshotList,
  },
  showSnapshot: {
    ...reading,
    path,
    answer: snapshot,
    summary: 'Show how far a snapshot is',
    description: 'And how the queue has changed since.',
    problems: [...elsewhere],
  },
  watchSnapshot: {
    ...reading,
    path: `${path}/events`,
    summary: 'Follow a snapshot while it grows',
    description:
      'Server-sent events named snapshot, whose data is `{ snapshot, causes }`: how far it is, and the causes of what was seen so far. They come twice a second at most; the last one comes when it has ended. Send the id of the last event as last-event-id to continue after it.',
    mediaType: 'text/event-stream',
    example: 'id: 7\nevent: snapshot\ndata: {"snapshot":{"state":"running"},"causes":[]}\n\n',
    whenEnded: 'The snapshot has ended, and last-event-id names the event that said so.',
    problems: [...elsewhere],
  },
  listSnapshotCauses: {
    ...reading,
    path: `${path}/causes`,
    query: parameters(whereQuery),
    answer: snapshotCauses,
    summary: 'Count why the messages of a snapshot died',
    description: 'While it is running, this covers what was seen so far.',
    problems: [...filtered],
  },
  listSnapshotFacets: {
    ...reading,
    path: `${path}/facets`,
    query: facetQuery,
    answer: facetList,
    summary: 'Count the values of fields',
    description:
      'Types, queues of origin, exchanges, routing keys, headers, attempts and causes, the most frequent first. Headers that RabbitMQ or Warren set are left out, and so are those that have more than 500 different values.',
    problems: [...filtered],
  },
  showSnapshotHistogram: {
    ...reading,
    path: `${path}/histogram`,
    query: histogramQuery,
    answer: histogram,
    summary: 'Count the messages by the time of their death',
    description: 'For a chart over time.',
    problems: [...filtered],
  },
  listSnapshotMessages: {
    ...reading,
    path: `${path}/messages`,
    query: pageQuery,
    answer: snapshotPage,
    summary: 'List the messages of a snapshot',
    description:
      'Page by page. A filter over headers, bodies or plain words reads the copy: the answer has what was found so far, and says how far the search is.',
    problems: [...filtered],
  },
  showSnapshotMessage: {
    ...reading,
    path: `${path}/messages/:key`,
    answer: snapshotDetail,
    params: parameters({ ...snapshotParams.properties, key: messageParams.properties.key }),
    summary: 'Show one message of a snapshot',
    description: 'With its properties, its headers and their types, its deaths and its body.',
    problems: ['API_TASK_NOT_ENDED', 'API_TASK_ENDED', 'BACKUP_INVALID', ...elsewhere],
  },
  deleteSnapshot: {
    method: 'DELETE',
    path,
    ...base,
    params: snapshotParams,
    summary: 'Cancel or delete a snapshot',
    description:
      'A running snapshot is cancelled, and the messages it holds go back to the queue. To delete the snapshot of somebody else, you need dlq:redrive.',
    problems: [...elsewhere],
  },
} satisfies EndpointList
