import type { BrokerVersion } from '../message/broker-version.ts'
import type { Arguments, QueueType } from './declaration.ts'
import { groupBy } from './group-by.ts'

/** What exists on a broker (or in a definitions.json), as plain values. Absent figures are undefined, not 0. */
export interface LiveTopology {
  /** The version of the broker. */
  readonly brokerVersion: BrokerVersion
  /** The exchanges of the vhost. */
  readonly exchanges: readonly LiveExchange[]
  /** The queues of the vhost. */
  readonly queues: readonly LiveQueue[]
  /** The bindings of the vhost. */
  readonly bindings: readonly LiveBinding[]
  /** The policies of the vhost. */
  readonly policies: readonly LivePolicy[]
}

/** An exchange, as the broker has it. */
export interface LiveExchange {
  /** Its name. */
  readonly name: string
  /** How it routes. */
  readonly type: string
  /** Whether it survives a restart of the broker. */
  readonly durable: boolean
  /** Whether the broker deletes it with its last binding. */
  readonly autoDelete: boolean
  /** Whether only other exchanges may publish to it. */
  readonly internal: boolean
  /** Its arguments. */
  readonly arguments: Arguments
}

/** A queue, as the broker has it. */
export interface LiveQueue {
  /** Its name. */
  readonly name: string
  /** Its type. */
  readonly type: QueueType
  /** Whether it survives a restart of the broker. */
  readonly durable: boolean
  /** Whether the broker deletes it when its last consumer leaves. */
  readonly autoDelete: boolean
  /** Without `x-queue-type`: RabbitMQ 4 adds it by itself, so it is `type` and never an argument here. */
  readonly arguments: Arguments
  /** The user policy that applies, by name. */
  readonly policy?: string | undefined
  /** The operator policy that applies, by name. */
  readonly operatorPolicy?: string | undefined
  /** User and operator policy merged, as the broker applies them. */
  readonly effectivePolicy?: Arguments | undefined
  /** Messages in it, including those that consumers hold. */
  readonly messages?: number | undefined
  /** Of the messages, those that a consumer holds. */
  readonly unacknowledged?: number | undefined
  /** Its consumers. */
  readonly consumers?: number | undefined
}

/** A binding, as the broker has it. */
export interface LiveBinding {
  /** The exchange that it leads from. */
  readonly source: string
  /** The queue or exchange that it leads to. */
  readonly destination: string
  /** Which of the two. */
  readonly destinationType: 'queue' | 'exchange'
  /** The routing key, or the pattern for keys. */
  readonly key: string
  /** Its arguments. */
  readonly arguments: Arguments
}

/** A policy, as the broker has it. */
export interface LivePolicy {
  /** Its name. */
  readonly name: string
  /** The regular expression for the names that it applies to. */
  readonly pattern: string
  /** What it applies to, such as `queues`. */
  readonly applyTo: string
  /** Of the policies that match a queue, only the one with the highest priority applies. */
  readonly priority: number
  /** The settings, without the `x-` of arguments. */
  readonly definition: Arguments
  /** Whether it is an operator policy, which is merged with the other. */
  readonly isOperatorPolicy: boolean
}

/** Look-ups that stay quick on a broker with many thousand queues. */
export interface LiveIndex {
  /** The queue of this name; undefined if there is none. */
  queue(name: string): LiveQueue | undefined
  /** The exchange of this name; undefined if there is none. */
  exchange(name: string): LiveExchange | undefined
  /** All bindings that lead from exchanges to a queue. */
  bindingsTo(queue: string): readonly LiveBinding[]
  /** Queues named `prefix` plus one label, where the prefix ends in `.retry.`. */
  tiersUnder(prefix: string): readonly LiveQueue[]
}

export function indexLive(live: LiveTopology): LiveIndex {
  const queues = new Map(live.queues.map((queue) => [queue.name, queue]))
  const exchanges = new Map(live.exchanges.map((exchange) => [exchange.name, exchange]))
  const bindings = live.bindings.filter(({ source }) => source !== '')
  const toQueue = groupBy(
    bindings.filter(({ destinationType }) => destinationType === 'queue'),
    ({ destination }) => destination,
  )
  const tiers = groupBy(live.queues, ({ name }) => tierPrefix(name))

  return {
    queue: (name) => queues.get(name),
    exchange: (name) => exchanges.get(name),
    bindingsTo: (queue) => toQueue.get(queue) ?? [],
    tiersUnder: (prefix) => tiers.get(prefix) ?? [],
  }
}

/** `orders.retry.` of `orders.retry.5s`: what the wait queues of one queue have in common. */
export function tierPrefix(name: string): string | undefined {
  const at = name.lastIndexOf('.retry.')
  return at < 0 ? undefined : name.slice(0, at + '.retry.'.length)
}
