import type { FieldTable } from '../../packages/warrenmq/src/wire/field-value.ts'
import type { Method } from '../../packages/warrenmq/src/wire/method-specs.ts'
import {
  type PlainField,
  type PlainTable,
  toFieldTable,
} from '../../packages/warrenmq/src/wire/plain-fields.ts'
import { encodeProperties } from '../../packages/warrenmq/src/wire/properties.ts'
import type { ChannelName, Operation } from './program.ts'

/** A concrete step: what is really sent, so that a second run can send the same. */
export type Step =
  | { readonly kind: 'method'; readonly on: ChannelName; readonly method: Method }
  | {
      readonly kind: 'publish'
      readonly on: ChannelName
      readonly method: Method<'basic.publish'>
      readonly properties: Buffer
      readonly body: Buffer
    }
  | {
      readonly kind: 'http'
      readonly method: 'PUT' | 'DELETE'
      /** Behind `/api/`. */
      readonly path: string
      readonly body?: object
    }
  | { readonly kind: 'close-connection'; readonly on: ChannelName }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'nothing' }

export interface Circumstances {
  /** Stands before every name. */
  readonly prefix: string
  readonly vhost: string
  /** Makes each body another. */
  readonly count: number
  /** The tags that a channel holds, the oldest first. */
  held(channel: ChannelName): readonly number[]
}

/** Turns an operation into what is to be sent, given what has been delivered so far. */
export function planStep(operation: Operation, circumstances: Circumstances): Step {
  switch (operation.do) {
    case 'wait':
      return { kind: 'wait', ms: operation.ms }
    case 'close-connection':
      return { kind: 'close-connection', on: operation.on }
    case 'publish':
      return planPublish(operation, circumstances)
    case 'set-policy':
    case 'clear-policy':
      return planPolicy(operation, circumstances)
    case 'settle': {
      const held = circumstances.held(operation.on)
      if (held.length === 0) return { kind: 'nothing' }
      const method = settleMethod(operation, held[operation.which % held.length]!)
      return { kind: 'method', on: operation.on, method }
    }
    default:
      return { kind: 'method', on: operation.on, method: methodOf(operation, circumstances) }
  }
}

type PlainOperation = Exclude<
  Operation,
  { do: 'wait' | 'publish' | 'set-policy' | 'clear-policy' | 'settle' | 'close-connection' }
>

function methodOf(operation: PlainOperation, { prefix }: Circumstances): Method {
  switch (operation.do) {
    case 'declare-queue':
      return {
        name: 'queue.declare',
        queue: fullName(prefix, operation.queue),
        passive: operation.passive,
        durable: operation.durable,
        exclusive: operation.exclusive,
        autoDelete: operation.autoDelete,
        noWait: false,
        arguments: expandTable(prefix, operation.arguments),
      }
    case 'delete-queue':
      return {
        name: 'queue.delete',
        queue: fullName(prefix, operation.queue),
        ifUnused: operation.ifUnused,
        ifEmpty: operation.ifEmpty,
        noWait: false,
      }
    case 'purge-queue':
      return { name: 'queue.purge', queue: fullName(prefix, operation.queue), noWait: false }
    case 'declare-exchange':
      return {
        name: 'exchange.declare',
        exchange: fullName(prefix, operation.exchange),
        type: operation.type,
        passive: false,
        durable: operation.durable,
        autoDelete: operation.autoDelete,
        internal: operation.internal,
        noWait: false,
        arguments: expandTable(prefix, operation.arguments),
      }
    case 'delete-exchange':
      return {
        name: 'exchange.delete',
        exchange: fullName(prefix, operation.exchange),
        ifUnused: operation.ifUnused,
        noWait: false,
      }
    case 'bind':
    case 'unbind':
      return bindMethod(operation, prefix)
    case 'consume':
      return {
        name: 'basic.consume',
        queue: fullName(prefix, operation.queue),
        consumerTag: operation.tag,
        noLocal: false,
        noAck: operation.noAck,
        exclusive: operation.exclusive,
        noWait: false,
        arguments: expandTable(prefix, operation.arguments),
      }
    case 'cancel':
      return { name: 'basic.cancel', consumerTag: operation.tag, noWait: false }
    case 'get':
      return { name: 'basic.get', queue: fullName(prefix, operation.queue), noAck: operation.noAck }
    case 'recover':
      return { name: 'basic.recover', requeue: true }
    case 'qos':
      return {
        name: 'basic.qos',
        prefetchSize: 0,
        prefetchCount: operation.count,
        global: operation.global,
      }
    case 'close-channel':
      return { name: 'channel.close', replyCode: 200, replyText: 'bye', classId: 0, methodId: 0 }
    case 'tx':
      return { name: `tx.${operation.step}` } as Method
  }
}

function bindMethod(operation: Extract<Operation, { do: 'bind' | 'unbind' }>, prefix: string): Method {
  const common = {
    routingKey: operation.key,
    arguments: expandTable(prefix, operation.arguments),
    noWait: false,
  }
  if ('queue' in operation.to) {
    return {
      name: operation.do === 'bind' ? 'queue.bind' : 'queue.unbind',
      queue: fullName(prefix, operation.to.queue),
      exchange: fullName(prefix, operation.exchange),
      ...common,
    } as Method
  }
  return {
    name: operation.do === 'bind' ? 'exchange.bind' : 'exchange.unbind',
    destination: fullName(prefix, operation.to.exchange),
    source: fullName(prefix, operation.exchange),
    ...common,
  }
}

function planPublish(
  operation: Extract<Operation, { do: 'publish' }>,
  { prefix, count }: Circumstances,
): Step {
  const { headers, timestamp, ...rest } = operation.properties
  return {
    kind: 'publish',
    on: operation.on,
    method: {
      name: 'basic.publish',
      exchange: fullName(prefix, operation.exchange),
      routingKey: operation.exchange === '' ? fullName(prefix, operation.key) : operation.key,
      mandatory: operation.mandatory,
      immediate: false,
    },
    properties: encodeProperties({
      ...rest,
      headers: headers && expandTable(prefix, headers),
      timestamp: timestamp === undefined ? undefined : BigInt(timestamp),
    }),
    body: Buffer.from(String(count).padEnd(operation.bodyBytes, '.')),
  }
}

function planPolicy(
  operation: Extract<Operation, { do: 'set-policy' | 'clear-policy' }>,
  { prefix, vhost }: Circumstances,
): Step {
  const kind = operation.isOperators ? 'operator-policies' : 'policies'
  const path = `${kind}/${encodeURIComponent(vhost)}/${fullName(prefix, operation.policy)}`
  if (operation.do === 'clear-policy') return { kind: 'http', method: 'DELETE', path }
  const definition = Object.fromEntries(
    Object.entries(operation.definition).map(([key, value]) => [key, expand(prefix, `x-${key}`, value)]),
  )
  const pattern = `^${prefix.replaceAll('.', '\\.')}${operation.pattern}$`
  // Of two that weigh the same RabbitMQ takes one by a hash of their names, which are others in each run.
  const priority = operation.priority * 2 + Number(operation.policy === 'p2')
  const body = { pattern, definition, priority, 'apply-to': operation.applyTo }
  return { kind: 'http', method: 'PUT', path, body }
}

function fullName(prefix: string, name: string): string {
  return name === '' || name.startsWith('amq.') ? name : `${prefix}${name}`
}

function expandTable(prefix: string, table: PlainTable): FieldTable {
  return toFieldTable(
    Object.fromEntries(Object.entries(table).map(([key, value]) => [key, expand(prefix, key, value)])),
  )
}

const namingArguments = [
  'x-dead-letter-exchange',
  'x-dead-letter-routing-key',
  'alternate-exchange',
  'x-alternate-exchange',
]

/** Names inside arguments get the prefix too. */
function expand(prefix: string, key: string, value: PlainField | undefined): PlainField | undefined {
  if (namingArguments.includes(key) && typeof value === 'string') return fullName(prefix, value)
  if ((key === 'CC' || key === 'BCC') && Array.isArray(value)) {
    return value.map((item) => fullName(prefix, String(item)))
  }
  if (key === 'x-death' && Array.isArray(value)) {
    return value.map((death) =>
      typeof death?.queue === 'string' ? { ...death, queue: fullName(prefix, death.queue) } : death,
    )
  }
  return value
}

function settleMethod(operation: Extract<Operation, { do: 'settle' }>, deliveryTag: number): Method {
  const { how, multiple, requeue } = operation
  if (how === 'ack') return { name: 'basic.ack', deliveryTag, multiple }
  if (how === 'nack') return { name: 'basic.nack', deliveryTag, multiple, requeue }
  return { name: 'basic.reject', deliveryTag, requeue }
}
