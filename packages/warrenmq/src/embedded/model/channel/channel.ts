import type { RawProperties } from '../../../wire/properties.ts'
import type { Actor } from '../access/actor.ts'
import type { Broker } from '../broker.ts'
import type { Message } from '../message/message.ts'
import { ProtocolError } from '../protocol-error.ts'
import { createDeadline, type Deadline } from '../queue/deadline.ts'
import type { Consumer, ConsumerChannel, Delivery, Queue } from '../queue/queue.ts'
import type { QueuedMessage } from '../queue/queued-message.ts'

/** What goes out to the client of a channel, in this order and no other. */
export interface ChannelPeer {
  deliver(consumerTag: string, deliveryTag: number, delivery: Delivery): void
  /** A reply that came straight from another channel. */
  deliverReply(consumerTag: string, deliveryTag: number, message: Message): void
  confirm(deliveryTag: number, multiple: boolean): void
  refuse(deliveryTag: number, multiple: boolean): void
  returned(message: Message, properties: RawProperties): void
  consumerCancelled(consumerTag: string): void
  /** The broker closes the channel by itself. */
  closed(error: ProtocolError): void
  /** False while more would pile up in memory. */
  isWritable(): boolean
}

/** A delivery that the client has not settled. */
export interface HeldDelivery {
  readonly deliveryTag: number
  readonly queue: Queue
  readonly consumer: Consumer | undefined
  readonly entry: QueuedMessage
  readonly deliveredAtMs: number
}

export interface ActiveConsumer {
  readonly consumer: Consumer
  readonly queue: Queue
}

export interface Transaction {
  publishes: readonly RoutedPublish[]
  settlements: readonly TransactedSettlement[]
}

export interface RoutedPublish {
  readonly message: Message
  readonly queues: readonly Queue[]
  readonly mandatory: boolean
  readonly sequence: number | undefined
}

export interface TransactedSettlement {
  readonly held: readonly HeldDelivery[]
  readonly settle: (held: readonly HeldDelivery[]) => void
}

/** One channel: what was said on it and is not over yet. */
export interface Channel {
  readonly actor: Actor
  readonly broker: Broker
  readonly peer: ChannelPeer
  /** The channel as the queues see it. */
  readonly port: ConsumerChannel
  readonly number: number
  readonly supportsCancelNotify: boolean
  isClosed: boolean
  /** Its connection ends: nothing is sent to it any more, though what it holds has not gone back yet. */
  isSilenced: boolean
  nextDeliveryTag: number
  /** By delivery tag, the oldest first. */
  readonly held: Map<number, HeldDelivery>
  readonly consumers: Map<string, ActiveConsumer>
  lastDeclaredQueue: string
  prefetch: number
  globalLimit: number | undefined
  /** Deliveries to consumers that count towards the global limit. */
  globalHeld: number
  isConfirming: boolean
  nextPublishSequence: number
  confirmed: number[]
  /** What the publishes that are not yet confirmed waited for; only where the order of confirms is shuffled. */
  readonly waitedFor: Map<number, string>
  refused: number[]
  /** Publishes that a fault keeps without a word: nothing that is said of several may cover them. */
  readonly withheld: Set<number>
  transaction: Transaction | undefined
  replyTo: { readonly consumerTag: string; readonly suffix: string } | undefined
  readonly holding: Deadline
}

export interface ChannelOptions {
  readonly actor: Actor
  readonly peer: ChannelPeer
  readonly number: number
  /** The client said that it understands basic.cancel from the broker. */
  readonly supportsCancelNotify: boolean
}

export function openChannel({ actor, peer, number, supportsCancelNotify }: ChannelOptions): Channel {
  const { broker } = actor
  const id = broker.nextChannelId
  broker.nextChannelId += 1
  const channel: Channel = {
    actor,
    broker,
    peer,
    port: {
      id,
      canSend: () => canSend(channel),
      canTake: (consumer) => canSend(channel) && isWithinLimit(channel, consumer),
      deliver: (delivery) => deliver(channel, delivery),
      consumerCancelled: (consumer) => dropConsumer(channel, consumer),
      released: (consumer) => releaseAfterTimeout(channel, consumer),
    },
    number,
    supportsCancelNotify,
    isClosed: false,
    isSilenced: false,
    nextDeliveryTag: 1,
    held: new Map(),
    consumers: new Map(),
    lastDeclaredQueue: '',
    prefetch: 0,
    globalLimit: undefined,
    globalHeld: 0,
    isConfirming: false,
    nextPublishSequence: 1,
    confirmed: [],
    waitedFor: new Map(),
    refused: [],
    withheld: new Set(),
    transaction: undefined,
    replyTo: undefined,
    holding: createDeadline(broker.clock, () => broker.inbox.run(() => checkHoldingTime(channel))),
  }
  return channel
}

function canSend({ isClosed, isSilenced, peer }: Channel): boolean {
  return !isClosed && !isSilenced && peer.isWritable()
}

function isWithinLimit({ globalLimit, globalHeld }: Channel, { noAck }: Consumer): boolean {
  return noAck || globalLimit === undefined || globalHeld < globalLimit
}

function deliver(channel: Channel, delivery: Delivery): void {
  const { consumer } = delivery
  if (!consumer || channel.isClosed) return
  const deliveryTag = takeDeliveryTag(channel, delivery)
  const isLimited = channel.globalLimit !== undefined && delivery.queue.kind === 'classic'
  if (delivery.needsAck && isLimited) channel.globalHeld += 1
  channel.peer.deliver(consumer.tag, deliveryTag, delivery)
}

/** A queue that was deleted meanwhile takes nothing back and sends nothing on. */
export function isAlive({ actor }: Channel, queue: Queue): boolean {
  return actor.vhost.queues.get(queue.name) === queue
}

/** Gives a delivery its number and, where the client must settle it, remembers it. */
export function takeDeliveryTag(channel: Channel, delivery: Delivery): number {
  const deliveryTag = channel.nextDeliveryTag
  channel.nextDeliveryTag += 1
  if (!delivery.needsAck) return deliveryTag
  const { queue, consumer, entry } = delivery
  const deliveredAtMs = channel.broker.clock.now()
  channel.held.set(deliveryTag, { deliveryTag, queue, consumer, entry, deliveredAtMs })
  if (channel.held.size === 1) planHoldingCheck(channel)
  return deliveryTag
}

function dropConsumer(channel: Channel, consumer: Consumer): void {
  if (channel.isClosed || channel.consumers.get(consumer.tag)?.consumer !== consumer) return
  channel.consumers.delete(consumer.tag)
  if (channel.supportsCancelNotify) channel.peer.consumerCancelled(consumer.tag)
}

/** A quorum queue of 4.3 has taken back what was held for too long. */
function releaseAfterTimeout(channel: Channel, consumer: Consumer | undefined): void {
  if (consumer && channel.supportsCancelNotify && channel.consumers.has(consumer.tag)) {
    channel.peer.consumerCancelled(consumer.tag)
    return
  }
  channel.peer.closed(timedOut(channel, -1)) // the channel is not told how long it was
}

/** RabbitMQ looks at what a channel holds only so often. */
const tickMs = 60_000

function planHoldingCheck(channel: Channel): void {
  if (!channel.broker.profile.closesChannelOnConsumerTimeout) return
  const oldest = channel.held.values().next().value
  if (!oldest) return
  const dueAtMs = oldest.deliveredAtMs + oldest.queue.settings().consumerTimeoutMs
  channel.holding.moveTo(Math.ceil((dueAtMs + 1) / tickMs) * tickMs)
}

function checkHoldingTime(channel: Channel): void {
  const oldest = channel.held.values().next().value
  if (channel.isClosed || !oldest) return
  const { consumerTimeoutMs } = oldest.queue.settings()
  if (oldest.deliveredAtMs < channel.broker.clock.now() - consumerTimeoutMs) {
    channel.peer.closed(timedOut(channel, consumerTimeoutMs))
  } else planHoldingCheck(channel)
}

function timedOut(channel: Channel, timeoutMs: number): ProtocolError {
  return new ProtocolError(
    'PRECONDITION_FAILED',
    `delivery acknowledgement on channel ${channel.number} timed out. Timeout value used: ${timeoutMs} ms. ` +
      'This timeout value can be configured, see consumers doc guide to learn more',
  )
}
