import type { BrokerVersion } from '../message/broker-version.ts'
import type { Arguments, QueueType } from './declaration.ts'
import { groupBy } from './group-by.ts'

/** What stands on a broker (or in a definitions.json), as plain values. Absent figures are undefined, not 0. */
export interface LiveTopology {
  readonly brokerVersion: BrokerVersion
  readonly exchanges: readonly LiveExchange[]
  readonly queues: readonly LiveQueue[]
  readonly bindings: readonly LiveBinding[]
  readonly policies: readonly LivePolicy[]
}

export interface LiveExchange {
  readonly name: string
  readonly type: string
  readonly durable: boolean
  readonly autoDelete: boolean
  readonly internal: boolean
  readonly arguments: Arguments
}

export interface LiveQueue {
  readonly name: string
  readonly type: QueueType
  readonly durable: boolean
  readonly autoDelete: boolean
  /** Without `x-queue-type`: RabbitMQ 4 adds it by itself, so it is `type` and never an argument here. */
  readonly arguments: Arguments
  /** The user policy that applies, by name. */
  readonly policy?: string | undefined
  readonly operatorPolicy?: string | undefined
  /** User and operator policy merged, as the broker applies them. */
  readonly effectivePolicy?: Arguments | undefined
  readonly messages?: number | undefined
  /** Of the messages, those that a consumer holds. */
  readonly unacknowledged?: number | undefined
  readonly consumers?: number | undefined
}

export interface LiveBinding {
  readonly source: string
  readonly destination: string
  readonly destinationType: 'queue' | 'exchange'
  readonly key: string
  readonly arguments: Arguments
}

export interface LivePolicy {
  readonly name: string
  readonly pattern: string
  readonly applyTo: string
  readonly priority: number
  readonly definition: Arguments
  readonly isOperatorPolicy: boolean
}

/** Look-ups that stay quick on a broker with many thousand queues. */
export interface LiveIndex {
  queue(name: string): LiveQueue | undefined
  exchange(name: string): LiveExchange | undefined
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
