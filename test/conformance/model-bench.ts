import type { Actor } from '../../packages/warrenmq/src/embedded/model/access/actor.ts'
import { type Channel, openChannel } from '../../packages/warrenmq/src/embedded/model/channel/channel.ts'
import { closeChannel } from '../../packages/warrenmq/src/embedded/model/channel/close-channel.ts'
import {
  cancel,
  consume,
  get,
  limitPrefetch,
} from '../../packages/warrenmq/src/embedded/model/channel/consume.ts'
import { flushConfirms, publish } from '../../packages/warrenmq/src/embedded/model/channel/publish.ts'
import { recover, settle } from '../../packages/warrenmq/src/embedded/model/channel/settle.ts'
import { selectConfirms } from '../../packages/warrenmq/src/embedded/model/channel/transactions.ts'
import { createBroker } from '../../packages/warrenmq/src/embedded/model/create-broker.ts'
import type { ProfileName } from '../../packages/warrenmq/src/embedded/model/profile.ts'
import { profiles } from '../../packages/warrenmq/src/embedded/model/profiles/profiles.ts'
import type { ProtocolError } from '../../packages/warrenmq/src/embedded/model/protocol-error.ts'
import { declareQueue } from '../../packages/warrenmq/src/embedded/model/queue/declare-queue.ts'
import type { Queue } from '../../packages/warrenmq/src/embedded/model/queue/queue.ts'
import type { Settlement } from '../../packages/warrenmq/src/embedded/model/queue/queued-message.ts'
import { createVirtualClock } from '../../packages/warrenmq/src/embedded/model/virtual-clock.ts'
import { decodeTable } from '../../packages/warrenmq/src/wire/decode-table.ts'
import {
  type PlainField,
  type PlainTable,
  toFieldTable,
  toPlainTable,
} from '../../packages/warrenmq/src/wire/plain-fields.ts'
import { decodeProperties, encodeProperties } from '../../packages/warrenmq/src/wire/properties.ts'

/** A delivery as a test looks at it. */
export interface SeenDelivery {
  readonly tag: number
  readonly body: string
  readonly isRedelivered: boolean
  readonly headers: Record<string, PlainField>
}

/** A client of the model, without a wire between them. */
export interface BenchChannel {
  readonly channel: Channel
  /** What was delivered, in its order. */
  readonly seen: SeenDelivery[]
  /** What became of publishes: `ack 1`, `nack 2`, `return`. */
  readonly told: string[]
  readonly errors: ProtocolError[]
  publish(queue: string, body: string, options?: PublishOptions): void
  consume(
    queue: string,
    options?: { tag?: string; prefetch?: number; noAck?: boolean; arguments?: PlainTable },
  ): void
  cancel(tag: string): void
  get(queue: string): SeenDelivery | undefined
  settle(tag: number, settlement: Settlement, multiple?: boolean): void
  recover(): void
  close(): void
}

export interface PublishOptions {
  readonly exchange?: string
  readonly headers?: PlainTable
  readonly expiration?: string
  readonly priority?: number
  readonly mandatory?: boolean
}

/** A broker that is only its model, on a clock that stands still. */
export interface ModelBench {
  readonly actor: Actor
  declare(queue: string, args?: PlainTable): Queue
  open(): BenchChannel
  advance(ms: number): void
  /** The bodies that are ready, in the order of delivery. */
  bodies(queue: string): readonly string[]
}

export function createModelBench(profile: ProfileName): ModelBench {
  const clock = createVirtualClock(1_700_000_000_000)
  const broker = createBroker({ profile: profiles[profile], clock, seed: 1 })
  const vhost = broker.vhosts.get('/')!
  const actor: Actor = { broker, vhost, user: broker.users.get('guest')!, connection: {} }
  return {
    actor,
    declare: (queue, args = {}) =>
      broker.inbox.run(() =>
        declareQueue(actor, {
          queue,
          durable: true,
          exclusive: false,
          autoDelete: false,
          arguments: toFieldTable(args),
        }),
      ),
    open: () => openBenchChannel(actor),
    advance: (ms) => {
      const until = clock.now() + ms
      while (clock.step(until));
    },
    bodies: (queue) =>
      [...(vhost.queues.get(queue)?.messages() ?? [])].map(({ message }) => String(message.body)),
  }
}

function openBenchChannel(actor: Actor): BenchChannel {
  const { inbox } = actor.broker
  const seen: SeenDelivery[] = []
  const told: string[] = []
  const errors: ProtocolError[] = []
  const channel = openChannel({
    actor,
    number: 1,
    supportsCancelNotify: true,
    peer: {
      deliver: (_, tag, { entry, isRedelivered, properties }) =>
        seen.push({ tag, body: String(entry.message.body), isRedelivered, headers: headersOf(properties) }),
      deliverReply: () => undefined,
      confirm: (tag, multiple) => told.push(`ack ${tag}${multiple ? ' and before' : ''}`),
      refuse: (tag) => told.push(`nack ${tag}`),
      returned: () => told.push('return'),
      consumerCancelled: (tag) => told.push(`cancel ${tag}`),
      closed: (error) => errors.push(error),
      isWritable: () => true,
    },
  })
  selectConfirms(channel)
  return {
    channel,
    seen,
    told,
    errors,
    publish: (queue, body, options = {}) => {
      const { exchange = '', headers, expiration, priority, mandatory = false } = options
      const properties = encodeProperties({
        headers: headers && toFieldTable(headers),
        expiration,
        priority,
        deliveryMode: 2,
      })
      inbox.run(() =>
        publish(channel, { exchange, routingKey: queue, properties, body: Buffer.from(body), mandatory }),
      )
      flushConfirms(channel)
    },
    consume: (queue, { tag = 't1', prefetch = 0, noAck = false, arguments: args = {} } = {}) =>
      inbox.run(() => {
        limitPrefetch(channel, { prefetchSize: 0, prefetchCount: prefetch, global: false })
        const request = { queue, consumerTag: tag, noAck, exclusive: false, arguments: toFieldTable(args) }
        consume(channel, request, () => undefined)
      }),
    cancel: (tag) => inbox.run(() => cancel(channel, tag)),
    get: (queue) => {
      const found = inbox.run(() => get(channel, { queue, noAck: false }))
      if (!found) return undefined
      const { entry, isRedelivered, properties } = found.fetched.delivery
      return {
        tag: found.deliveryTag,
        body: String(entry.message.body),
        isRedelivered,
        headers: headersOf(properties),
      }
    },
    settle: (deliveryTag, settlement, multiple = false) =>
      inbox.run(() => settle(channel, { deliveryTag, multiple, settlement })),
    recover: () => inbox.run(() => recover(channel)),
    close: () => inbox.run(() => closeChannel(channel)),
  }
}

function headersOf(properties: Buffer): Record<string, PlainField> {
  const { headers } = decodeProperties(properties)
  return headers ? toPlainTable(decodeTable(headers)) : {}
}
