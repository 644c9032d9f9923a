import type { RawProperties } from '../../../wire/properties.ts'
import { editProperties, readProperty } from '../../../wire/properties.ts'
import { demand } from '../access/actor.ts'
import { demandTopic } from '../access/demand-topic.ts'
import { describeResource } from '../describe-resource.ts'
import { findExchange } from '../exchange/declare-exchange.ts'
import { routeMessage } from '../exchange/route-message.ts'
import { makeMessage, type Publication } from '../message/make-message.ts'
import type { Message } from '../message/message.ts'
import { compareAsBinaries } from '../message/terms.ts'
import { ProtocolError } from '../protocol-error.ts'
import type { Queue } from '../queue/queue.ts'
import type { Channel, RoutedPublish } from './channel.ts'
import { shuffleConfirms } from './shuffle-confirms.ts'

const replyAddress = 'amq.rabbitmq.reply-to'

export interface PublishRequest extends Publication {
  readonly mandatory: boolean
  /** A fault: it is treated as if no queue were there for it. */
  readonly isReturned?: boolean
}

/** Takes a message in: routes it, gives it to its queues and notes what the publisher is to be told. */
export function publish(channel: Channel, publication: PublishRequest): void {
  const { actor, broker } = channel
  demand(actor, 'write', { kind: 'exchange', name: publication.exchange })
  const exchange = findExchange(actor, publication.exchange)
  if (exchange.isInternal) throw internalExchange(channel, exchange.name)
  if (exchange.type === 'topic') demandTopic(actor, 'write', { exchange, key: publication.routingKey })
  const properties = resolveReplyTo(channel, publication.properties)
  checkUserId(channel, properties)
  const message = makeMessage({ ...publication, properties }, broker.profile.publish)
  if (broker.profile.checksEveryTopic && message.routingKeys.length > 1) {
    for (const key of message.routingKeys) demandTopic(actor, 'write', { exchange, key })
  }
  const sequence = channel.isConfirming || channel.transaction ? channel.nextPublishSequence : undefined
  if (sequence !== undefined) channel.nextPublishSequence += 1
  if (publication.exchange === '') deliverReplies(channel, message)
  const queues = publication.isReturned ? [] : routeMessage(actor.vhost, exchange, message)
  const routed: RoutedPublish = { message, queues, mandatory: publication.mandatory, sequence }
  if (channel.transaction) channel.transaction.publishes = [...channel.transaction.publishes, routed]
  else deliverToQueues(channel, routed)
}

/** Gives whether every queue took it. A message without a queue counts as taken. */
export function deliverToQueues(
  channel: Channel,
  { message, queues, mandatory, sequence }: RoutedPublish,
): boolean {
  // A return comes before the confirm, so that a confirm without a return means that it was routed.
  if (mandatory && queues.length === 0 && !isReply(channel, message))
    channel.peer.returned(message, message.properties)
  let isTaken = true
  for (const queue of bySpeed(queues)) if (!queue.enqueue(message, channel.port)) isTaken = false
  if (sequence !== undefined && channel.isConfirming) {
    if (isTaken) {
      channel.confirmed.push(sequence)
      if (channel.broker.confirmOrder) channel.waitedFor.set(sequence, describeWait(message, queues))
    } else channel.refused.push(sequence)
  }
  return isTaken
}

/** A classic queue writes only what is persistent to disk before it confirms. */
function describeWait(message: Message, queues: readonly Queue[]): string {
  return queues
    .map(({ kind, name }) =>
      kind === 'classic' ? `${message.isPersistent ? 'disk' : 'memory'} ${name}` : name,
    )
    .join('\n')
}

/**
 * A classic queue delivers at once, a quorum queue after it has agreed with itself, and RabbitMQ goes through
 * its list of queues from the end: a channel that consumes from several sees the copies in that order.
 */
function bySpeed(queues: readonly Queue[]): readonly Queue[] {
  if (queues.length < 2) return queues
  const isSlow = (queue: Queue): number => Number(queue.kind !== 'classic')
  return queues.toSorted((a, b) => isSlow(a) - isSlow(b) || compareAsBinaries(b.name, a.name))
}

/** Tells the publisher what has become of its messages, in as few words as RabbitMQ does. */
export function flushConfirms(channel: Channel): void {
  const { confirmed, refused, withheld, peer } = channel
  if (confirmed.length === 0 && refused.length === 0) return
  channel.confirmed = []
  channel.refused = []
  if (channel.isClosed) return
  if (confirmed.length === 1) peer.confirm(confirmed[0]!, false)
  else {
    const batches = inOrderOfConfirms(channel, confirmed)
    for (const [at, batch] of batches.entries()) {
      const later = batches.slice(at + 1).flat()
      tell(batch, [...later, ...refused, ...withheld], (tag, multiple) => peer.confirm(tag, multiple))
    }
  }
  for (const tag of confirmed) channel.waitedFor.delete(tag)
  tell(refused, [...confirmed, ...withheld], (tag, multiple) => peer.refuse(tag, multiple))
}

function inOrderOfConfirms(
  { broker, waitedFor }: Channel,
  tags: readonly number[],
): readonly (readonly number[])[] {
  if (!broker.confirmOrder) return [tags]
  const due = tags.map((tag) => ({ tag, waitedFor: waitedFor.get(tag) ?? '' }))
  return shuffleConfirms(due, broker.confirmOrder)
}

/** One word for all that come before the first of the other kind, then one each. */
function tell(
  tags: readonly number[],
  others: readonly number[],
  say: (tag: number, multiple: boolean) => void,
): void {
  const sorted = tags.toSorted((a, b) => a - b)
  const firstOther = others.reduce((first, tag) => Math.min(first, tag), Number.POSITIVE_INFINITY)
  const joined = sorted.filter((tag) => tag < firstOther)
  if (joined.length > 0) say(joined.at(-1)!, true)
  for (const tag of sorted.slice(joined.length)) say(tag, false)
}

/** Who asks for a direct reply gets an address of its own; nobody can reply to the general one. */
function resolveReplyTo(channel: Channel, properties: RawProperties): RawProperties {
  if (readProperty(properties, 'replyTo') !== replyAddress) return properties
  if (!channel.replyTo) {
    throw new ProtocolError('PRECONDITION_FAILED', 'fast reply consumer does not exist')
  }
  return editProperties(properties, { set: { replyTo: `${replyAddress}.${channel.replyTo.suffix}` } })
}

function deliverReplies(channel: Channel, message: Message): void {
  for (const key of message.routingKeys) {
    if (!key.startsWith(`${replyAddress}.`)) continue
    const target = channel.broker.replyChannels.get(key.slice(replyAddress.length + 1))
    if (target?.replyTo) target.peer.deliverReply(target.replyTo.consumerTag, target.nextDeliveryTag, message)
  }
}

/** On versions that route replies like all else, an address of the right form takes them, whoever is behind it. */
function isReply({ broker }: Channel, { exchange, routingKeys }: Message): boolean {
  if (!broker.profile.routesReplies || exchange !== '') return false
  return routingKeys.some(
    (key) => key.startsWith(`${replyAddress}.`) && key.length > replyAddress.length + 20,
  )
}

function checkUserId(channel: Channel, properties: RawProperties): void {
  const claimed = readProperty(properties, 'userId')
  const { user } = channel.actor
  if (claimed === undefined || claimed === user.name || user.tags.includes('impersonator')) return
  throw new ProtocolError(
    'PRECONDITION_FAILED',
    `user_id property set to '${claimed}' but authenticated user was '${user.name}'`,
  )
}

function internalExchange({ actor }: Channel, name: string): ProtocolError {
  const resource = describeResource({ kind: 'exchange', name, vhost: actor.vhost.name })
  return new ProtocolError('ACCESS_REFUSED', `cannot publish to internal ${resource}`)
}
