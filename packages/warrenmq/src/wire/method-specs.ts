import type { FieldTable } from './field-value.ts'

/**
 * Every method of AMQP 0-9-1 as RabbitMQ speaks it, in the order of the wire. Fields named `reserved…`
 * are written as nothing and not shown. Both sides, client and server, read this one table.
 */
export const methodSpecs = {
  'connection.start': {
    id: [10, 10],
    fields: {
      versionMajor: 'octet',
      versionMinor: 'octet',
      serverProperties: 'table',
      mechanisms: 'longstr',
      locales: 'longstr',
    },
  },
  'connection.start-ok': {
    id: [10, 11],
    fields: { clientProperties: 'table', mechanism: 'shortstr', response: 'longstr', locale: 'shortstr' },
  },
  'connection.secure': { id: [10, 20], fields: { challenge: 'longstr' } },
  'connection.secure-ok': { id: [10, 21], fields: { response: 'longstr' } },
  'connection.tune': { id: [10, 30], fields: { channelMax: 'short', frameMax: 'long', heartbeat: 'short' } },
  'connection.tune-ok': {
    id: [10, 31],
    fields: { channelMax: 'short', frameMax: 'long', heartbeat: 'short' },
  },
  'connection.open': { id: [10, 40], fields: { vhost: 'shortstr', reserved1: 'shortstr', reserved2: 'bit' } },
  'connection.open-ok': { id: [10, 41], fields: { reserved1: 'shortstr' } },
  'connection.close': {
    id: [10, 50],
    fields: { replyCode: 'short', replyText: 'shortstr', classId: 'short', methodId: 'short' },
  },
  'connection.close-ok': { id: [10, 51], fields: {} },
  'connection.blocked': { id: [10, 60], fields: { reason: 'shortstr' } },
  'connection.unblocked': { id: [10, 61], fields: {} },
  'connection.update-secret': { id: [10, 70], fields: { newSecret: 'longstr', reason: 'shortstr' } },
  'connection.update-secret-ok': { id: [10, 71], fields: {} },
  'channel.open': { id: [20, 10], fields: { reserved1: 'shortstr' } },
  'channel.open-ok': { id: [20, 11], fields: { reserved1: 'longstr' } },
  'channel.flow': { id: [20, 20], fields: { active: 'bit' } },
  'channel.flow-ok': { id: [20, 21], fields: { active: 'bit' } },
  'channel.close': {
    id: [20, 40],
    fields: { replyCode: 'short', replyText: 'shortstr', classId: 'short', methodId: 'short' },
  },
  'channel.close-ok': { id: [20, 41], fields: {} },
  'exchange.declare': {
    id: [40, 10],
    fields: {
      reserved1: 'short',
      exchange: 'shortstr',
      type: 'shortstr',
      passive: 'bit',
      durable: 'bit',
      autoDelete: 'bit',
      internal: 'bit',
      noWait: 'bit',
      arguments: 'table',
    },
  },
  'exchange.declare-ok': { id: [40, 11], fields: {} },
  'exchange.delete': {
    id: [40, 20],
    fields: { reserved1: 'short', exchange: 'shortstr', ifUnused: 'bit', noWait: 'bit' },
  },
  'exchange.delete-ok': { id: [40, 21], fields: {} },
  'exchange.bind': {
    id: [40, 30],
    fields: {
      reserved1: 'short',
      destination: 'shortstr',
      source: 'shortstr',
      routingKey: 'shortstr',
      noWait: 'bit',
      arguments: 'table',
    },
  },
  'exchange.bind-ok': { id: [40, 31], fields: {} },
  'exchange.unbind': {
    id: [40, 40],
    fields: {
      reserved1: 'short',
      destination: 'shortstr',
      source: 'shortstr',
      routingKey: 'shortstr',
      noWait: 'bit',
      arguments: 'table',
    },
  },
  'exchange.unbind-ok': { id: [40, 51], fields: {} },
  'queue.declare': {
    id: [50, 10],
    fields: {
      reserved1: 'short',
      queue: 'shortstr',
      passive: 'bit',
      durable: 'bit',
      exclusive: 'bit',
      autoDelete: 'bit',
      noWait: 'bit',
      arguments: 'table',
    },
  },
  'queue.declare-ok': {
    id: [50, 11],
    fields: { queue: 'shortstr', messageCount: 'long', consumerCount: 'long' },
  },
  'queue.bind': {
    id: [50, 20],
    fields: {
      reserved1: 'short',
      queue: 'shortstr',
      exchange: 'shortstr',
      routingKey: 'shortstr',
      noWait: 'bit',
      arguments: 'table',
    },
  },
  'queue.bind-ok': { id: [50, 21], fields: {} },
  'queue.purge': { id: [50, 30], fields: { reserved1: 'short', queue: 'shortstr', noWait: 'bit' } },
  'queue.purge-ok': { id: [50, 31], fields: { messageCount: 'long' } },
  'queue.delete': {
    id: [50, 40],
    fields: { reserved1: 'short', queue: 'shortstr', ifUnused: 'bit', ifEmpty: 'bit', noWait: 'bit' },
  },
  'queue.delete-ok': { id: [50, 41], fields: { messageCount: 'long' } },
  'queue.unbind': {
    id: [50, 50],
    fields: {
      reserved1: 'short',
      queue: 'shortstr',
      exchange: 'shortstr',
      routingKey: 'shortstr',
      arguments: 'table',
    },
  },
  'queue.unbind-ok': { id: [50, 51], fields: {} },
  'basic.qos': { id: [60, 10], fields: { prefetchSize: 'long', prefetchCount: 'short', global: 'bit' } },
  'basic.qos-ok': { id: [60, 11], fields: {} },
  'basic.consume': {
    id: [60, 20],
    fields: {
      reserved1: 'short',
      queue: 'shortstr',
      consumerTag: 'shortstr',
      noLocal: 'bit',
      noAck: 'bit',
      exclusive: 'bit',
      noWait: 'bit',
      arguments: 'table',
    },
  },
  'basic.consume-ok': { id: [60, 21], fields: { consumerTag: 'shortstr' } },
  'basic.cancel': { id: [60, 30], fields: { consumerTag: 'shortstr', noWait: 'bit' } },
  'basic.cancel-ok': { id: [60, 31], fields: { consumerTag: 'shortstr' } },
  'basic.publish': {
    id: [60, 40],
    fields: {
      reserved1: 'short',
      exchange: 'shortstr',
      routingKey: 'shortstr',
      mandatory: 'bit',
      immediate: 'bit',
    },
  },
  'basic.return': {
    id: [60, 50],
    fields: { replyCode: 'short', replyText: 'shortstr', exchange: 'shortstr', routingKey: 'shortstr' },
  },
  'basic.deliver': {
    id: [60, 60],
    fields: {
      consumerTag: 'shortstr',
      deliveryTag: 'longlong',
      redelivered: 'bit',
      exchange: 'shortstr',
      routingKey: 'shortstr',
    },
  },
  'basic.get': { id: [60, 70], fields: { reserved1: 'short', queue: 'shortstr', noAck: 'bit' } },
  'basic.get-ok': {
    id: [60, 71],
    fields: {
      deliveryTag: 'longlong',
      redelivered: 'bit',
      exchange: 'shortstr',
      routingKey: 'shortstr',
      messageCount: 'long',
    },
  },
  'basic.get-empty': { id: [60, 72], fields: { reserved1: 'shortstr' } },
  'basic.ack': { id: [60, 80], fields: { deliveryTag: 'longlong', multiple: 'bit' } },
  'basic.reject': { id: [60, 90], fields: { deliveryTag: 'longlong', requeue: 'bit' } },
  'basic.recover-async': { id: [60, 100], fields: { requeue: 'bit' } },
  'basic.recover': { id: [60, 110], fields: { requeue: 'bit' } },
  'basic.recover-ok': { id: [60, 111], fields: {} },
  'basic.nack': { id: [60, 120], fields: { deliveryTag: 'longlong', multiple: 'bit', requeue: 'bit' } },
  'confirm.select': { id: [85, 10], fields: { noWait: 'bit' } },
  'confirm.select-ok': { id: [85, 11], fields: {} },
  'tx.select': { id: [90, 10], fields: {} },
  'tx.select-ok': { id: [90, 11], fields: {} },
  'tx.commit': { id: [90, 20], fields: {} },
  'tx.commit-ok': { id: [90, 21], fields: {} },
  'tx.rollback': { id: [90, 30], fields: {} },
  'tx.rollback-ok': { id: [90, 31], fields: {} },
} as const

export type MethodName = keyof typeof methodSpecs

/** How a field of a method is written, and what it is in TypeScript. */
export interface FieldKinds {
  octet: number
  short: number
  long: number
  longlong: number
  shortstr: string
  longstr: Buffer
  table: FieldTable
  bit: boolean
}

type FieldsOf<Name extends MethodName> = (typeof methodSpecs)[Name]['fields']
type Shown<Field> = Field extends `reserved${string}` ? never : Field

/** One method: its name and its fields, e.g. `Method<'basic.deliver'>`. */
export type Method<Name extends MethodName = MethodName> = Name extends MethodName
  ? { readonly name: Name } & {
      readonly [Field in keyof FieldsOf<Name> as Shown<Field>]: FieldsOf<Name>[Field] extends keyof FieldKinds
        ? FieldKinds[FieldsOf<Name>[Field]]
        : never
    }
  : never
