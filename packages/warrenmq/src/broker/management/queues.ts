import type { CallApi, CallOptions } from './call-api.ts'
import { callOrUndefined } from './call-api.ts'
import type { Query } from './encode-path.ts'
import {
  asList,
  asRecord,
  asRecords,
  flagField,
  type JsonRecord,
  numberField,
  requiredText,
  textField,
  textsField,
} from './json-record.ts'
import { listPages } from './list-pages.ts'

/** A queue as the broker reports it. Undefined means that the broker did not say, which is not zero. */
export interface ManagedQueue {
  /** The vhost that it belongs to. */
  readonly vhost: string
  /** Unique in its vhost. */
  readonly name: string
  /** `classic`, `quorum` or `stream`. */
  readonly type: string | undefined
  /** It survives a restart of the broker. */
  readonly durable: boolean
  /** It goes with its last consumer. */
  readonly autoDelete: boolean
  /** It belongs to one connection and goes with it. */
  readonly exclusive: boolean
  /** As reported: RabbitMQ 4 adds `x-queue-type` even where the client sent none. */
  readonly arguments: JsonRecord
  /** The node that a classic queue is on. */
  readonly node: string | undefined
  /** The node with the leader of a quorum queue or stream. */
  readonly leader: string | undefined
  /** The nodes with a replica. */
  readonly members: readonly string[] | undefined
  /** Those of them that are up. */
  readonly online: readonly string[] | undefined
  /** Ready, unacknowledged and waiting dead letters together. Seconds old; for an exact depth declare passively. */
  readonly messages: number | undefined
  /** Waiting for a consumer, seconds ago. */
  readonly messagesReady: number | undefined
  /** Handed out and not settled, seconds ago. */
  readonly messagesUnacknowledged: number | undefined
  /** The bodies of all messages, in bytes. */
  readonly messageBytes: number | undefined
  /** How fast it grows or shrinks, over the last seconds. Only of one queue, or with `detailed`. */
  readonly messagesPerSecond: number | undefined
  /** Seconds old. Of a list only with `detailed`: no version tells them with the totals. */
  readonly consumers: number | undefined
  /** The effective limit, from 4.0 on. */
  readonly deliveryLimit: number | 'unlimited' | undefined
  /** The name of the user policy that applies; undefined if none does. */
  readonly policy: string | undefined
  /** User and operator policy merged. */
  readonly effectivePolicy: JsonRecord | undefined
}

/** Which queues to list, and how much to tell of each. */
export interface ListQueuesOptions extends CallOptions {
  /**
   * @default every vhost that the user may see
   * @example { vhost: '/' }
   */
  readonly vhost?: string
  /**
   * `totals`: depths only, cheap for the broker. `detailed`: all it knows. @default 'totals'
   * @example { mode: 'detailed' }
   */
  readonly mode?: 'totals' | 'detailed'
  /**
   * From 1 to 500. @default 500
   * @example { pageSize: 100 }
   */
  readonly pageSize?: number
}

/** What comes and goes in a queue, over the last seconds. Undefined means that the broker did not say. */
export interface QueueTraffic {
  /** The queue in its vhost. */
  readonly name: string
  /** `classic`, `quorum` or `stream`. */
  readonly type: string | undefined
  /** Messages that wait for a consumer. */
  readonly ready: number | undefined
  /** Messages that are handed out and not settled. */
  readonly unacknowledged: number | undefined
  /** How many consume from it. */
  readonly consumers: number | undefined
  /** Messages per second: published to it, handed out of it, acknowledged. */
  readonly inPerSecond: number | undefined
  /** Messages per second that were handed out, redeliveries among them. */
  readonly outPerSecond: number | undefined
  /** Messages per second that consumers acknowledged. */
  readonly acknowledgedPerSecond: number | undefined
}

/** Names one queue of a broker. */
export interface QueueName {
  /** The vhost of the queue. */
  readonly vhost: string
  /** The queue in that vhost. */
  readonly name: string
}

/** How far back, and how far apart. */
export interface SampleRange {
  /** How far the oldest sample may lie back. */
  readonly ageSeconds: number
  /** The time between two samples. */
  readonly everySeconds: number
}

/** What a queue held at one moment, as the broker remembers it. */
export interface DepthSample {
  /** When, in milliseconds since 1970. */
  readonly atMs: number
  /** Ready and unacknowledged together. */
  readonly messages: number
}

/** The queues of a broker. */
export interface Queues {
  /**
   * All queues, of one vhost or of all.
   * @example
   * ```ts
   * const queues = await management.queues.list({ vhost: '/', mode: 'detailed' })
   * ```
   */
  list(options?: ListQueuesOptions): Promise<readonly ManagedQueue[]>
  /**
   * Everything about one queue; undefined where there is none.
   * @example
   * ```ts
   * const found = await management.queues.find({ vhost: '/', name: 'orders.dlq' })
   * ```
   */
  find(queue: QueueName, options?: CallOptions): Promise<ManagedQueue | undefined>
  /**
   * Who consumes from the queues of a vhost, by name, some seconds ago; without those of which the broker has no statistics.
   * @example
   * ```ts
   * const consumers = await management.queues.countConsumers({ vhost: '/' })
   * ```
   */
  countConsumers(options: CallOptions & { readonly vhost: string }): Promise<ReadonlyMap<string, number>>
  /**
   * The traffic of all queues of a vhost, some seconds ago: one request, however many there are.
   * @example
   * ```ts
   * const traffic = await management.queues.traffic({ vhost: '/' })
   * ```
   */
  traffic(options: CallOptions & { readonly vhost: string }): Promise<readonly QueueTraffic[]>
  /**
   * How many of its messages were acknowledged since the broker counts, some seconds ago; undefined if it does not say.
   * @example
   * ```ts
   * const acknowledged = await management.queues.acknowledged({ vhost: '/', name: 'orders' })
   * ```
   */
  acknowledged(queue: QueueName, options?: CallOptions): Promise<number | undefined>
  /**
   * Cheap, and true as soon as it is declared: it asks for no statistics.
   * @example
   * ```ts
   * if (!(await management.queues.exists({ vhost: '/', name: 'orders.dlq' }))) console.log('not declared')
   * ```
   */
  exists(queue: QueueName, options?: CallOptions): Promise<boolean>
  /**
   * The depths that the broker remembers, the oldest first; none if it keeps no statistics or there is no such queue.
   * @example
   * ```ts
   * const samples = await management.queues.samples({ vhost: '/', name: 'orders.dlq', ageSeconds: 600, everySeconds: 60 })
   * ```
   */
  samples(queue: QueueName & SampleRange, options?: CallOptions): Promise<readonly DepthSample[]>
}

export function queuesOf(callApi: CallApi): Queues {
  return {
    list: async (options = {}) => (await listQueues(callApi, options)).map(readQueue),

    find: async (queue, options) => {
      const answer = await callOrUndefined(callApi, { ...address(queue), options })
      return answer && readQueue(asRecord(answer.json))
    },

    countConsumers: async ({ vhost, signal }) => {
      const columns = 'vhost,name,consumers'
      const queues = await listQueuePages(callApi, { vhost, signal }, { columns })
      const counted = queues.map(
        (queue) => [requiredText(queue, 'name'), numberField(queue, 'consumers')] as const,
      )
      return new Map(counted.filter((entry): entry is [string, number] => entry[1] !== undefined))
    },

    traffic: async ({ vhost, signal }) => {
      const query = { columns: trafficColumns.join(',') }
      const [path, subject] = [['queues', vhost], `vhost "${vhost}"`]
      return asRecords((await callApi({ path, subject, query, options: { signal } })).json).map(readTraffic)
    },

    acknowledged: async (queue, options) => {
      const query = { columns: 'message_stats.ack' }
      const answer = await callOrUndefined(callApi, { ...address(queue), query, options })
      return numberField(asRecord(asRecord(answer?.json).message_stats), 'ack')
    },

    exists: async (queue, options) => {
      const query = { disable_stats: true }
      // Who asks over and over does so by a new name each time, and a log tells a failure once by its text.
      const subject = `a queue of vhost "${queue.vhost}"`
      const request = { ...address(queue), subject, query, options }
      const answer = await callOrUndefined(callApi, request)
      // Other programs have an answer for every question, so it has to be about this queue.
      const { vhost, name } = asRecord(answer?.json)
      return vhost === queue.vhost && name === queue.name
    },

    samples: async ({ ageSeconds, everySeconds, ...queue }, options) => {
      const columns = 'messages_details.samples'
      const query = { lengths_age: ageSeconds, lengths_incr: everySeconds, columns }
      const answer = await callOrUndefined(callApi, { ...address(queue), query, options })
      return readSamples(asRecord(asRecord(answer?.json).messages_details).samples)
    },
  }
}

/**
 * With totals the broker leaves out every quorum queue that has no leader at the moment, as if there were none. A
 * second list without them has it, only not what it holds.
 */
async function listQueues(callApi: CallApi, options: ListQueuesOptions): Promise<readonly JsonRecord[]> {
  const { mode = 'totals' } = options
  const list = (query: Query): Promise<readonly JsonRecord[]> => listQueuePages(callApi, options, query)
  if (mode !== 'totals') return list({})
  const [all, counted] = await Promise.all([
    list({ disable_stats: true }),
    list({ disable_stats: true, enable_queue_totals: true }),
  ])
  const byName = new Map([...all, ...counted].map((queue) => [`${queue.vhost}/${queue.name}`, queue]))
  return [...byName.values()]
}

function listQueuePages(
  callApi: CallApi,
  { vhost, signal, pageSize }: ListQueuesOptions,
  query: Query,
): Promise<readonly JsonRecord[]> {
  const path = vhost === undefined ? ['queues'] : ['queues', vhost]
  const subject = vhost === undefined ? 'queues' : `vhost "${vhost}"`
  return listPages(callApi, { path, query, subject, options: { signal } }, pageSize)
}

function address({ vhost, name }: QueueName): { path: readonly string[]; subject: string } {
  return { path: ['queues', vhost, name], subject: `queue "${name}" in vhost "${vhost}"` }
}

/** Without the rest an answer about 10,000 queues is a tenth as long. */
const trafficColumns = [
  'name',
  'type',
  'messages_ready',
  'messages_unacknowledged',
  'consumers',
  ...['publish', 'deliver_get', 'ack'].map((what) => `message_stats.${what}_details.rate`),
]

function readTraffic(queue: JsonRecord): QueueTraffic {
  const stats = asRecord(queue.message_stats)
  const rateOf = (what: string) => numberField(asRecord(stats[`${what}_details`]), 'rate')
  return {
    name: requiredText(queue, 'name'),
    type: textField(queue, 'type'),
    ready: numberField(queue, 'messages_ready'),
    unacknowledged: numberField(queue, 'messages_unacknowledged'),
    consumers: numberField(queue, 'consumers'),
    inPerSecond: rateOf('publish'),
    outPerSecond: rateOf('deliver_get'),
    acknowledgedPerSecond: rateOf('ack'),
  }
}

function readQueue(queue: JsonRecord): ManagedQueue {
  return {
    vhost: requiredText(queue, 'vhost'),
    name: requiredText(queue, 'name'),
    type: textField(queue, 'type'),
    durable: flagField(queue, 'durable') ?? false,
    autoDelete: flagField(queue, 'auto_delete') ?? false,
    exclusive: flagField(queue, 'exclusive') ?? false,
    arguments: asRecord(queue.arguments),
    node: textField(queue, 'node'),
    leader: textField(queue, 'leader'),
    members: textsField(queue, 'members'),
    online: textsField(queue, 'online'),
    ...readDepths(queue),
    consumers: numberField(queue, 'consumers'),
    deliveryLimit: readDeliveryLimit(queue.delivery_limit),
    policy: textField(queue, 'policy'),
    effectivePolicy: readEffectivePolicy(queue.effective_policy_definition),
  }
}

/** The newest first from the broker. */
function readSamples(samples: unknown): readonly DepthSample[] {
  const read = asRecords(samples).flatMap((each) => {
    const [atMs, messages] = [numberField(each, 'timestamp'), numberField(each, 'sample')]
    // Between two of its own samples the broker tells a mean.
    return atMs === undefined || messages === undefined ? [] : [{ atMs, messages: Math.round(messages) }]
  })
  return read.toSorted((left, right) => left.atMs - right.atMs)
}

function readDepths(queue: JsonRecord) {
  return {
    messages: numberField(queue, 'messages'),
    messagesReady: numberField(queue, 'messages_ready'),
    messagesUnacknowledged: numberField(queue, 'messages_unacknowledged'),
    messageBytes: numberField(queue, 'message_bytes'),
    messagesPerSecond: numberField(asRecord(queue.messages_details), 'rate'),
  }
}

/** RabbitMQ 4.3 says -1 in place of `unlimited` where it keeps no statistics. */
function readDeliveryLimit(value: unknown): number | 'unlimited' | undefined {
  if (typeof value === 'number' && value < 0) return 'unlimited'
  return typeof value === 'number' || value === 'unlimited' ? value : undefined
}

/** An object, an empty list, an empty text, or a list of one-field objects, depending on the version. */
function readEffectivePolicy(value: unknown): JsonRecord | undefined {
  if (value === undefined || value === null) return undefined
  return Array.isArray(value) ? Object.assign({}, ...asList(value).map(asRecord)) : asRecord(value)
}
