import { dlq, queueParams, queueType } from './dlqs.ts'
import type { EndpointList } from './endpoint.ts'
import { queueName } from './lists.ts'
import {
  as,
  count,
  flag,
  integer,
  list,
  named,
  number,
  orNull,
  parameters,
  type SchemaValue,
  text,
  time,
} from './schema.ts'

/** Figures of queues: their depth over time, and what goes into and out of them. */

const historyQuery = parameters({
  seconds: integer('How far back to go.', 3_600, { minimum: 1, maximum: 31 * 86_400, default: 3_600 }),
  points: integer('The maximum number of points per queue; more samples are merged.', 120, {
    minimum: 2,
    maximum: 2_000,
    default: 120,
  }),
})
export type HistoryQuery = SchemaValue<typeof historyQuery>
const historyPoint = named('HistoryPoint', 'The depth of a queue at a time.', {
  at: time('The end of the interval the point covers.'),
  messages: count('Messages in the queue then.', 42),
  perSecond: orNull(
    number(
      'How fast the queue grew since the previous point; negative if it shrank. Null: this is the first point.',
      0.5,
    ),
  ),
})
const depthHistory = named('DepthHistory', 'How deep a queue was over time.', {
  queue: dlq,
  points: list(historyPoint, 'The points, oldest first.'),
})
export type DepthHistory = SchemaValue<typeof depthHistory>
const historyList = named('HistoryList', 'How deep all dead-letter queues were over time.', {
  everySeconds: number('How often the server counts.', 10),
  items: list(depthHistory, 'One history per queue.'),
})
export type HistoryList = SchemaValue<typeof historyList>

const rate = (what: string) =>
  orNull(number(`Messages per second ${what}, over the last seconds. Null: RabbitMQ does not say.`, 12.5))
const figure = (what: string, example: number) =>
  orNull(integer(`${what}. Null: RabbitMQ does not say.`, example))
export const queueTraffic = named('QueueTraffic', 'What goes into and out of a queue.', {
  queue: as(queueName, 'The name of the queue.'),
  type: queueType,
  isDlq: flag('Dead letters end up here.', true),
  ready: figure('Messages that wait for a consumer', 42),
  unacknowledged: figure('Messages that a consumer has and has not acknowledged', 0),
  consumers: figure('Consumers of the queue', 0),
  inPerSecond: rate('that come in'),
  outPerSecond: rate('that go out'),
  acknowledgedPerSecond: rate('that are acknowledged'),
})
export type QueueTraffic = SchemaValue<typeof queueTraffic>
const queueTrafficList = named('QueueTrafficList', 'What goes into and out of all queues.', {
  vhost: text('The vhost this server works on.', '/'),
  at: time('When RabbitMQ was asked. Its figures may be up to five seconds older.'),
  items: list(queueTraffic, 'The queues the caller may read.'),
})
export type QueueTrafficList = SchemaValue<typeof queueTrafficList>

const base = { tag: 'dead letters', needs: 'dlq:read', asksBroker: true } as const

export const figureEndpoints = {
  showHistory: {
    method: 'GET',
    path: '/api/v1/dlqs/:queue/history',
    ...base,
    isOfPast: true,
    summary: 'Show the depth of a queue over time',
    description: 'For a chart. The queue may be gone by now.',
    params: queueParams,
    query: historyQuery,
    answer: depthHistory,
  },
  listHistory: {
    method: 'GET',
    path: '/api/v1/history',
    ...base,
    summary: 'Show the depth of all dead-letter queues over time',
    description: 'For a page of charts.',
    query: historyQuery,
    answer: historyList,
  },
  listTraffic: {
    method: 'GET',
    path: '/api/v1/queues',
    ...base,
    summary: 'List all queues with their figures',
    description:
      'Ready, unacknowledged, consumers, and messages per second in and out, with one request to RabbitMQ.',
    answer: queueTrafficList,
  },
} satisfies EndpointList
