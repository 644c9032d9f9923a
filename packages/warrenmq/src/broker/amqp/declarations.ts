import type { FieldTable } from '../../wire/field-value.ts'
import type { AmqpChannel } from './channel.ts'

/** What can be asked of a broker on a channel, one function each. Each waits for the broker's answer. */

export interface QueueToDeclare {
  /** Its name; empty: the broker chooses one. */
  readonly queue: string
  /** @default true */
  readonly durable?: boolean
  /** It belongs to this connection and goes with it. @default false */
  readonly exclusive?: boolean
  /** It goes with its last consumer. @default false */
  readonly autoDelete?: boolean
  /** Type, limits, dead-lettering: everything that begins with `x-`. @default none */
  readonly arguments?: FieldTable
}

/** What the broker answers to the declaration of a queue. */
export interface QueueCounts {
  /** Its name; the broker's choice if none was given. */
  readonly queue: string
  /** Ready messages at this moment; exact, unlike the statistics of the management API. */
  readonly messageCount: number
  /** Its consumers at this moment. */
  readonly consumerCount: number
}

/**
 * Declares a queue, and tells what is in it.
 * @example
 * ```ts
 * const { messageCount } = await declareQueue(channel, { queue: 'orders.copy' })
 * ```
 */
export async function declareQueue(channel: AmqpChannel, declaration: QueueToDeclare): Promise<QueueCounts> {
  const { queue, durable = true, exclusive = false, autoDelete = false, arguments: args = [] } = declaration
  const method = {
    name: 'queue.declare',
    queue,
    passive: false,
    durable,
    exclusive,
    autoDelete,
    noWait: false,
  } as const
  return channel.call({ ...method, arguments: args }, 'queue.declare-ok')
}

/**
 * Looks at a queue without touching it; the channel is closed by the broker (404) if there is none.
 * @example
 * ```ts
 * const { messageCount, consumerCount } = await inspectQueue(channel, 'orders')
 * ```
 */
export async function inspectQueue(channel: AmqpChannel, queue: string): Promise<QueueCounts> {
  const flags = { durable: false, exclusive: false, autoDelete: false, noWait: false }
  return channel.call(
    { name: 'queue.declare', queue, passive: true, ...flags, arguments: [] },
    'queue.declare-ok',
  )
}

/**
 * Deletes a queue, and tells how many messages went with it.
 * @example
 * ```ts
 * const messages = await deleteQueue(channel, 'orders.old', { ifEmpty: true })
 * ```
 */
export async function deleteQueue(
  channel: AmqpChannel,
  queue: string,
  { ifUnused = false, ifEmpty = false }: { ifUnused?: boolean; ifEmpty?: boolean } = {},
): Promise<number> {
  const reply = await channel.call(
    { name: 'queue.delete', queue, ifUnused, ifEmpty, noWait: false },
    'queue.delete-ok',
  )
  return reply.messageCount
}

export interface ExchangeDeclaration {
  readonly exchange: string
  readonly type: string
  /** @default true */
  readonly durable?: boolean
  readonly autoDelete?: boolean
  readonly internal?: boolean
  readonly arguments?: FieldTable
}

export async function declareExchange(channel: AmqpChannel, declaration: ExchangeDeclaration): Promise<void> {
  const {
    exchange,
    type,
    durable = true,
    autoDelete = false,
    internal = false,
    arguments: args = [],
  } = declaration
  const method = {
    name: 'exchange.declare',
    exchange,
    type,
    passive: false,
    durable,
    autoDelete,
    internal,
  } as const
  await channel.call({ ...method, noWait: false, arguments: args }, 'exchange.declare-ok')
}

/** Resolves if the exchange exists; else the broker closes the channel (404). */
export async function inspectExchange(channel: AmqpChannel, exchange: string): Promise<void> {
  const flags = { durable: false, autoDelete: false, internal: false, noWait: false }
  await channel.call(
    { name: 'exchange.declare', exchange, type: '', passive: true, ...flags, arguments: [] },
    'exchange.declare-ok',
  )
}

/**
 * Deletes an exchange.
 * @example
 * ```ts
 * await deleteExchange(channel, 'orders.old', { ifUnused: true })
 * ```
 */
export async function deleteExchange(
  channel: AmqpChannel,
  exchange: string,
  { ifUnused = false }: { ifUnused?: boolean } = {},
): Promise<void> {
  await channel.call({ name: 'exchange.delete', exchange, ifUnused, noWait: false }, 'exchange.delete-ok')
}

export interface QueueBinding {
  readonly queue: string
  readonly exchange: string
  readonly routingKey: string
  readonly arguments?: FieldTable
}

export async function bindQueue(
  channel: AmqpChannel,
  { arguments: args = [], ...binding }: QueueBinding,
): Promise<void> {
  await channel.call({ name: 'queue.bind', ...binding, noWait: false, arguments: args }, 'queue.bind-ok')
}

export async function unbindQueue(
  channel: AmqpChannel,
  { arguments: args = [], ...binding }: QueueBinding,
): Promise<void> {
  await channel.call({ name: 'queue.unbind', ...binding, arguments: args }, 'queue.unbind-ok')
}

export interface ExchangeBinding {
  readonly source: string
  readonly destination: string
  readonly routingKey: string
  readonly arguments?: FieldTable
}

export async function bindExchange(
  channel: AmqpChannel,
  { arguments: args = [], ...binding }: ExchangeBinding,
): Promise<void> {
  await channel.call(
    { name: 'exchange.bind', ...binding, noWait: false, arguments: args },
    'exchange.bind-ok',
  )
}

export async function unbindExchange(
  channel: AmqpChannel,
  { arguments: args = [], ...binding }: ExchangeBinding,
): Promise<void> {
  await channel.call(
    { name: 'exchange.unbind', ...binding, noWait: false, arguments: args },
    'exchange.unbind-ok',
  )
}

/** From now on the broker confirms each publish on this channel, numbered from 1. */
export async function enableConfirms(channel: AmqpChannel): Promise<void> {
  await channel.call({ name: 'confirm.select', noWait: false }, 'confirm.select-ok')
}
