import Type from 'typebox'
import type { EndpointList } from './endpoint.ts'
import { listInQuery, oneOf, parameters, type SchemaValue } from './schema.ts'

const topic = oneOf(
  ['tasks', 'approvals', 'notes', 'dlqs', 'queues', 'backups'],
  'A list to follow: the one with the same name.',
)
export type EventTopic = SchemaValue<typeof topic>

const eventsQuery = parameters({
  topics: Type.Optional(
    listInQuery(topic, 'The lists to follow. Default: tasks, approvals, notes and dlqs.'),
  ),
})

/** The data of an event, whose name is its topic: what has become of a list. */
export interface ListChange<Item> {
  /** The items are the whole list: forget others. Otherwise they are new, or replace those with the same id or queue. */
  readonly isWhole: boolean
  readonly items: readonly Item[]
  /** Ids, or queues, of what has left the list. */
  readonly gone: readonly string[]
}

export const eventEndpoints = {
  watchEvents: {
    method: 'GET',
    path: '/api/v1/events',
    tag: 'events',
    needs: 'dlq:read',
    asksBroker: true,
    summary: 'Follow tasks, approvals, notes and queues in one stream',
    description: [
      'Server-sent events. The name of an event is its topic, and its data is `{ isWhole, items, gone }`: the items are those of the list of the same name.',
      'With `isWhole` they are the whole list; otherwise they are new or replace those with the same `id` (in dlqs and queues: `queue`), and those named in `gone` have left the list.',
      'The first event of a topic is whole. Send the id of the last event as `last-event-id` to get only what has changed since; a server that does not remember sends the whole list.',
      'The topic `backups` needs the permission `dlq:backup`.',
    ].join(' '),
    query: eventsQuery,
    mediaType: 'text/event-stream',
    example: 'id: 12\nevent: dlqs\ndata: {"isWhole":true,"items":[],"gone":[]}\n\n',
    problems: ['API_NO_BACKUP_FOLDER'],
  },
} satisfies EndpointList
