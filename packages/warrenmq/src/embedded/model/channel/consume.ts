import type { FieldTable } from '../../../wire/field-value.ts'
import { demand } from '../access/actor.ts'
import { describeResource } from '../describe-resource.ts'
import { integerOf, lookUp } from '../message/terms.ts'
import { ProtocolError } from '../protocol-error.ts'
import { checkConsumerArguments } from '../queue/check-queue-arguments.ts'
import { findQueue } from '../queue/declare-queue.ts'
import type { Consumer, Fetched } from '../queue/queue.ts'
import { type Channel, takeDeliveryTag } from './channel.ts'

export interface ConsumeRequest {
  readonly queue: string
  readonly consumerTag: string
  readonly noAck: boolean
  readonly exclusive: boolean
  readonly arguments: FieldTable
}

const replyAddress = 'amq.rabbitmq.reply-to'

/** Starts a consumer. `onAccepted` is told its tag before the first message is delivered. */
export function consume(
  channel: Channel,
  request: ConsumeRequest,
  onAccepted: (consumerTag: string) => void,
): void {
  if (channel.consumers.has(request.consumerTag)) {
    throw new ProtocolError('NOT_ALLOWED', `attempt to reuse consumer tag '${request.consumerTag}'`)
  }
  const tag = request.consumerTag === '' ? channel.broker.names('amq.ctag') : request.consumerTag
  if (request.queue === replyAddress) {
    consumeReplies(channel, request, tag)
    onAccepted(tag)
    return
  }
  demand(channel.actor, 'read', { kind: 'queue', name: request.queue })
  const queue = findQueue(channel.actor, request.queue)
  const resource = describeResource({ kind: 'queue', name: queue.name, vhost: queue.vhost })
  checkConsumerArguments({ kind: queue.kind, arguments: request.arguments }, resource, channel.broker.profile)
  if (queue.kind !== 'classic' && channel.globalLimit !== undefined) {
    throw new ProtocolError('NOT_IMPLEMENTED', `${resource} does not support global qos`)
  }
  const consumer: Consumer = {
    tag,
    channel: channel.port,
    noAck: request.noAck,
    isExclusive: request.exclusive,
    prefetch: channel.prefetch,
    priority: integerOf(lookUp(request.arguments, 'x-priority')) ?? 0,
    timeoutMs: integerOf(lookUp(request.arguments, 'x-consumer-timeout')),
    arguments: request.arguments,
  }
  queue.consume(consumer)
  channel.consumers.set(tag, { consumer, queue })
  onAccepted(tag)
  queue.start(consumer)
}

/** Ends a consumer. A tag that nobody has is fine. */
export function cancel(channel: Channel, consumerTag: string): void {
  if (channel.replyTo?.consumerTag === consumerTag) stopReplies(channel)
  const active = channel.consumers.get(consumerTag)
  if (!active) return
  channel.consumers.delete(consumerTag)
  active.queue.cancel(active.consumer)
}

/** Fetches one message; undefined when there is none. */
export function get(
  channel: Channel,
  { queue: name, noAck }: { queue: string; noAck: boolean },
): { deliveryTag: number; fetched: Fetched } | undefined {
  demand(channel.actor, 'read', { kind: 'queue', name })
  const queue = findQueue(channel.actor, name)
  if (queue.kind === 'quorum' && queue.settings().hasSingleActiveConsumer) {
    const resource = describeResource({ kind: 'queue', name, vhost: queue.vhost })
    throw new ProtocolError(
      'RESOURCE_LOCKED',
      `cannot obtain access to locked ${resource}. basic.get operations are not supported by ${channel.broker.profile.quorumInRefusal} queues with single active consumer`,
    )
  }
  const fetched = queue.get({ channel: channel.port, noAck })
  return fetched && { deliveryTag: takeDeliveryTag(channel, fetched.delivery), fetched }
}

/** Sets how much a consumer may hold; `global` limits the channel, where the version still knows that. */
export function limitPrefetch(
  channel: Channel,
  { prefetchSize, prefetchCount, global }: { prefetchSize: number; prefetchCount: number; global: boolean },
): void {
  if (prefetchSize !== 0) {
    throw new ProtocolError('NOT_IMPLEMENTED', `prefetch_size!=0 (${prefetchSize})`)
  }
  if (!global || !channel.broker.profile.allowsGlobalPrefetch) {
    channel.prefetch = prefetchCount
    setGlobalLimit(channel, undefined)
  } else setGlobalLimit(channel, prefetchCount === 0 ? undefined : prefetchCount)
}

function setGlobalLimit(channel: Channel, limit: number | undefined): void {
  if (channel.globalLimit === undefined && limit !== undefined) channel.globalHeld = channel.held.size
  const isRaised = (limit ?? Number.POSITIVE_INFINITY) > (channel.globalLimit ?? Number.POSITIVE_INFINITY)
  channel.globalLimit = limit
  if (!isRaised) return
  for (const { queue } of channel.consumers.values()) queue.channelReady(channel.port)
}

function consumeReplies(channel: Channel, { noAck }: ConsumeRequest, consumerTag: string): void {
  if (!noAck) throw new ProtocolError('PRECONDITION_FAILED', 'reply consumer cannot acknowledge')
  if (channel.replyTo) throw new ProtocolError('PRECONDITION_FAILED', 'reply consumer already set')
  const suffix = channel.broker.names('amq.gen').slice('amq.gen-'.length)
  channel.replyTo = { consumerTag, suffix }
  channel.broker.replyChannels.set(suffix, channel)
}

/** Forgets the direct replies that a channel waited for. */
export function stopReplies(channel: Channel): void {
  if (!channel.replyTo) return
  channel.broker.replyChannels.delete(channel.replyTo.suffix)
  channel.replyTo = undefined
}
