import type { FieldTable, FieldValue } from '../../src/wire/field-value.ts'
import type { Method } from '../../src/wire/method-specs.ts'
import { type PlainField, type PlainTable, toFieldTable } from '../../src/wire/plain-fields.ts'
import { decodeProperties, encodeProperties } from '../../src/wire/properties.ts'
import { decodeTable } from '../../src/wire/read-field.ts'
import { type ChannelName, channelNames, type Operation } from './program.ts'
import { connectRaw, type RawClient, type Received } from './raw-client.ts'

/** What a client sees of one run: per channel, everything that came in, in its order. */
export type Observation = Readonly<Record<ChannelName, readonly string[]>>

/** A concrete step: what was really sent, so that a second run can send the same. */
export type Step =
  | { readonly kind: 'methods'; readonly on: ChannelName; readonly methods: readonly Method[] }
  | {
      readonly kind: 'publish'
      readonly on: ChannelName
      readonly method: Method<'basic.publish'>
      readonly properties: Buffer
      readonly body: Buffer
    }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'nothing' }

export interface Session {
  /** Turns an operation into what is to be sent, given what has been delivered so far. */
  plan(operation: Operation): Step
  send(step: Exclude<Step, { kind: 'wait' }>): Promise<void>
  observe(): Observation
  /** Opens again what was closed by an error, so that the program can go on. */
  reopen(): Promise<void>
  end(): Promise<void>
}

interface ChannelLog {
  readonly name: ChannelName
  readonly number: number
  readonly events: string[]
  readonly acked: Set<number>
  readonly nacked: Set<number>
  held: number[]
  publishCount: number
  lastConfirmed: number
  isOpen: boolean
  isTransactional: boolean
}

export async function openSession(url: string, prefix: string): Promise<Session> {
  const logs = new Map<ChannelName, ChannelLog>()
  const clients = new Map<string, RawClient>()
  let bodyCount = 0

  for (const name of channelNames) logs.set(name, createLog(name))
  await openConnections()
  await openChannels()

  async function openConnections(): Promise<void> {
    for (const connection of ['a', 'b']) {
      if (clients.get(connection)?.isOpen) continue
      clients.set(connection, await connectRaw(url, (received) => record(connection, received)))
    }
  }

  async function openChannels(): Promise<void> {
    for (const log of logs.values()) {
      if (log.isOpen) continue
      const client = clientOf(log)
      client.send(log.number, { name: 'channel.open' })
      await client.expect(log.number, 'channel.open-ok')
      client.send(log.number, { name: 'confirm.select', noWait: false })
      await client.expect(log.number, 'confirm.select-ok')
      Object.assign(log, {
        isOpen: true,
        held: [],
        publishCount: 0,
        lastConfirmed: 0,
        isTransactional: false,
      })
      log.acked.clear()
      log.nacked.clear()
    }
  }

  function clientOf({ name }: ChannelLog): RawClient {
    return clients.get(name[0]!)!
  }

  function record(connection: string, received: Received): void {
    for (const log of logs.values()) {
      if (log.name[0] !== connection) continue
      if (received.channel === log.number) recordOn(log, received)
      else if (received.channel === 0 && received.method.name === 'connection.close') {
        log.isOpen = false
        log.events.push(describeMethod(received.method))
      }
    }
  }

  function recordOn(log: ChannelLog, received: Received): void {
    const { method } = received
    switch (method.name) {
      case 'basic.ack':
      case 'basic.nack':
        recordConfirm(log, method)
        return
      case 'channel.open-ok':
      case 'confirm.select-ok':
        return
      case 'channel.close':
      case 'channel.close-ok':
        log.isOpen = false
        break
      case 'basic.deliver':
      case 'basic.get-ok':
        log.held.push(method.deliveryTag)
        break
      default:
    }
    log.events.push(describe(received))
  }

  /** How confirms are put together is chance; which publishes are confirmed is not. */
  function recordConfirm(log: ChannelLog, method: Method<'basic.ack'> | Method<'basic.nack'>): void {
    const tags = method.name === 'basic.ack' ? log.acked : log.nacked
    if (!method.multiple) {
      tags.add(method.deliveryTag)
      return
    }
    for (let tag = 1; tag <= method.deliveryTag; tag += 1) {
      if (!log.acked.has(tag) && !log.nacked.has(tag)) tags.add(tag)
    }
  }

  const fullName = (name: string): string =>
    name === '' || name.startsWith('amq.') ? name : `${prefix}${name}`

  function expandTable(table: PlainTable): FieldTable {
    return toFieldTable(
      Object.fromEntries(Object.entries(table).map(([key, value]) => [key, expand(key, value)])),
    )
  }

  /** Names inside arguments get the prefix too. */
  function expand(key: string, value: PlainField | undefined): PlainField | undefined {
    const isName = ['x-dead-letter-exchange', 'x-dead-letter-routing-key', 'alternate-exchange'].includes(key)
    if (isName && typeof value === 'string') return fullName(value)
    if ((key === 'CC' || key === 'BCC') && Array.isArray(value))
      return value.map((item) => fullName(String(item)))
    return value
  }

  function plan(operation: Operation): Step {
    if (operation.do === 'wait') return { kind: 'wait', ms: operation.ms }
    const log = logs.get(operation.on)!
    const methods = (...list: Method[]): Step => ({ kind: 'methods', on: operation.on, methods: list })
    switch (operation.do) {
      case 'declare-queue':
        return methods({
          name: 'queue.declare',
          queue: fullName(operation.queue),
          passive: operation.passive,
          durable: operation.durable,
          exclusive: operation.exclusive,
          autoDelete: operation.autoDelete,
          noWait: false,
          arguments: expandTable(operation.arguments),
        })
      case 'delete-queue':
        return methods({
          name: 'queue.delete',
          queue: fullName(operation.queue),
          ifUnused: operation.ifUnused,
          ifEmpty: operation.ifEmpty,
          noWait: false,
        })
      case 'purge-queue':
        return methods({ name: 'queue.purge', queue: fullName(operation.queue), noWait: false })
      case 'declare-exchange':
        return methods({
          name: 'exchange.declare',
          exchange: fullName(operation.exchange),
          type: operation.type,
          passive: false,
          durable: operation.durable,
          autoDelete: operation.autoDelete,
          internal: operation.internal,
          noWait: false,
          arguments: expandTable(operation.arguments),
        })
      case 'delete-exchange':
        return methods({
          name: 'exchange.delete',
          exchange: fullName(operation.exchange),
          ifUnused: operation.ifUnused,
          noWait: false,
        })
      case 'bind':
      case 'unbind':
        return methods(bindMethod(operation))
      case 'publish':
        return planPublish(operation)
      case 'consume':
        return methods({
          name: 'basic.consume',
          queue: fullName(operation.queue),
          consumerTag: operation.tag,
          noLocal: false,
          noAck: operation.noAck,
          exclusive: operation.exclusive,
          noWait: false,
          arguments: expandTable(operation.arguments),
        })
      case 'cancel':
        return methods({ name: 'basic.cancel', consumerTag: operation.tag, noWait: false })
      case 'get':
        return methods({ name: 'basic.get', queue: fullName(operation.queue), noAck: operation.noAck })
      case 'settle': {
        if (log.held.length === 0) return { kind: 'nothing' }
        return methods(settleMethod(operation, log.held[operation.which % log.held.length]!))
      }
      case 'recover':
        return methods({ name: 'basic.recover', requeue: true })
      case 'qos':
        return methods({
          name: 'basic.qos',
          prefetchSize: 0,
          prefetchCount: operation.count,
          global: operation.global,
        })
      case 'close-channel':
        return methods({ name: 'channel.close', replyCode: 200, replyText: 'bye', classId: 0, methodId: 0 })
      case 'tx':
        return methods({ name: `tx.${operation.step}` } as Method)
    }
  }

  function bindMethod(operation: Extract<Operation, { do: 'bind' | 'unbind' }>): Method {
    const common = {
      routingKey: operation.key,
      arguments: expandTable(operation.arguments),
      noWait: false,
    }
    if ('queue' in operation.to) {
      return {
        name: operation.do === 'bind' ? 'queue.bind' : 'queue.unbind',
        queue: fullName(operation.to.queue),
        exchange: fullName(operation.exchange),
        ...common,
      } as Method
    }
    return {
      name: operation.do === 'bind' ? 'exchange.bind' : 'exchange.unbind',
      destination: fullName(operation.to.exchange),
      source: fullName(operation.exchange),
      ...common,
    }
  }

  function planPublish(operation: Extract<Operation, { do: 'publish' }>): Step {
    const { headers, timestamp, ...rest } = operation.properties
    bodyCount += 1
    return {
      kind: 'publish',
      on: operation.on,
      method: {
        name: 'basic.publish',
        exchange: fullName(operation.exchange),
        routingKey: operation.exchange === '' ? fullName(operation.key) : operation.key,
        mandatory: operation.mandatory,
        immediate: false,
      },
      properties: encodeProperties({
        ...rest,
        headers: headers && expandTable(headers),
        timestamp: timestamp === undefined ? undefined : BigInt(timestamp),
      }),
      body: Buffer.from(String(bodyCount).padEnd(operation.bodyBytes, '.')),
    }
  }

  async function send(step: Exclude<Step, { kind: 'wait' }>): Promise<void> {
    if (step.kind === 'nothing') return
    const log = logs.get(step.on)!
    const client = clientOf(log)
    if (step.kind === 'publish') {
      log.publishCount += 1
      client.publish(log.number, step.method, step.properties, step.body)
      return
    }
    for (const method of step.methods) {
      noteSettled(log, method)
      client.send(log.number, method)
    }
  }

  function noteSettled(log: ChannelLog, method: Method): void {
    if (method.name === 'basic.recover') log.held = []
    if (method.name !== 'basic.ack' && method.name !== 'basic.nack' && method.name !== 'basic.reject') return
    const { deliveryTag } = method
    const isMultiple = method.name !== 'basic.reject' && method.multiple
    log.held = log.held.filter((tag) => (isMultiple ? tag > deliveryTag : tag !== deliveryTag))
  }

  return {
    plan,
    send,
    observe: () =>
      Object.fromEntries(
        [...logs.values()].map((log) => [
          log.name,
          [...log.events, `acked ${[...log.acked].sort(byNumber)} nacked ${[...log.nacked].sort(byNumber)}`],
        ]),
      ) as unknown as Observation,
    reopen: async () => {
      await openConnections()
      await openChannels()
    },
    end: async () => {
      for (const client of clients.values()) await client.close()
    },
  }
}

function createLog(name: ChannelName): ChannelLog {
  return {
    name,
    number: Number(name[1]),
    events: [],
    acked: new Set(),
    nacked: new Set(),
    held: [],
    publishCount: 0,
    lastConfirmed: 0,
    isOpen: false,
    isTransactional: false,
  }
}

function settleMethod(operation: Extract<Operation, { do: 'settle' }>, deliveryTag: number): Method {
  const { how, multiple, requeue } = operation
  if (how === 'ack') return { name: 'basic.ack', deliveryTag, multiple }
  if (how === 'nack') return { name: 'basic.nack', deliveryTag, multiple, requeue }
  return { name: 'basic.reject', deliveryTag, requeue }
}

function describe({ method, properties, body }: Received): string {
  const content = properties ? ` ${describeProperties(properties)} ${body!.toString()}` : ''
  return describeMethod(method) + content
}

function describeMethod(method: Method): string {
  return JSON.stringify(method, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}

/** Everything but the times of death, which no two runs share. */
function describeProperties(raw: Buffer): string {
  const { headers, ...rest } = decodeProperties(raw)
  const table = headers && decodeTable(headers)
  return JSON.stringify(
    { ...rest, ...(table ? { headers: table.map(({ name, value }) => [name, fixTimes(name, value)]) } : {}) },
    replacer,
  )
}

function fixTimes(name: string, value: FieldValue): unknown {
  if (name !== 'x-death' || value.type !== 'A') return value
  return value.value.map((death) =>
    death.type === 'F'
      ? death.value.map((entry) =>
          entry.name === 'time' ? ['time', entry.value.type] : [entry.name, entry.value],
        )
      : death,
  )
}

function replacer(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  return value
}

function byNumber(a: number, b: number): number {
  return a - b
}
