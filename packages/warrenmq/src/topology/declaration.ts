import type { Duration } from '../message/duration.ts'
import type { LayoutName } from './layouts/layout-names.ts'
import type { MessageDeclarations } from './message-declaration.ts'
import type { RecoveryDeclaration } from './recovery-declaration.ts'
import type { ServerDeclaration } from './server-declaration.ts'

/** What a person writes: exchanges and queues by name, and how a queue retries and parks. */
export interface TopologyDeclaration<QueueName extends string = string> {
  /**
   * For editors that read JSON Schema; ignored otherwise.
   * @example { $schema: './node_modules/warrenmq/schema/topology.schema.json' }
   */
  readonly $schema?: string
  /**
   * How queues retry and park: a layout by name, or with its parameters. @default 'warren'
   * @example { layout: 'ratatoskr' }
   */
  readonly layout?: LayoutChoice
  /**
   * Gives the arguments of the layout's document and nothing else, for teams that already run it.
   * @default false, which adds the arguments that close the layout's holes on the broker's version
   * @example { layout: 'ratatoskr', exact: true }
   */
  readonly exact?: boolean
  /**
   * Exchanges by name.
   * @example { exchanges: { 'orders.events': { type: 'topic' } } }
   */
  readonly exchanges?: Readonly<Record<string, ExchangeDeclaration>>
  /**
   * Queues by name.
   * @example { queues: { 'billing.orders': { retry: { delays: ['5s', '1m'], maxAttempts: 3 } } } }
   */
  readonly queues: Readonly<Record<QueueName, QueueDeclaration>>
  /**
   * Policies that exist on the broker. The proof and the diagram take them into account; `apply` does not set them.
   * @example { policies: [{ name: 'limit', pattern: '^billing', definition: { 'max-length': 100_000 } }] }
   */
  readonly policies?: readonly PolicyDeclaration[]
  /**
   * What producers publish; the proof shows that each reaches a queue.
   * @example { exchanges: { 'orders.events': { type: 'topic' } }, publications: [{ exchange: 'orders.events', key: 'order.placed' }] }
   */
  readonly publications?: readonly PublicationDeclaration[]
  /**
   * What is published, by name, with the type of its body; see `defineMessages`.
   * @example { messages: defineMessages({ OrderPlaced: { exchange: 'orders.events', key: 'order.placed' } }) }
   */
  readonly messages?: MessageDeclarations
  /**
   * Findings of the proof that you have considered and accept.
   * @example { accept: [{ finding: 'comes-home/seen-by-others', reason: 'the other queue ignores it' }] }
   */
  readonly accept?: readonly Acceptance[]
  /**
   * Read by `warren recover` and `warren.recover()`.
   * @example { recovery: { queues: ['billing.orders.dlq'], types: { OrderPlaced: 'billing.orders' } } }
   */
  readonly recovery?: RecoveryDeclaration
  /**
   * Read by `warren serve`.
   * @example { server: { port: 8080, backups: { folder: '/var/lib/warren' } } }
   */
  readonly server?: ServerDeclaration
}

/** A layout by name, or with its parameters. */
export type LayoutChoice = LayoutName | LayoutOptions

/** A layout with its parameters. */
export interface LayoutOptions {
  /**
   * Which layout.
   * @example { name: 'freeflow' }
   */
  readonly name: LayoutName
  /**
   * event-bus: replaces the part of the service name before its first hyphen.
   * @example { prefix: 'shop' }
   */
  readonly prefix?: string
  /**
   * freeflow: the first word of every name. @default 'freeflow'
   * @example { namespace: 'acme' }
   */
  readonly namespace?: string
  /**
   * freeflow: domains that get delay queues even though no queue is declared for them here.
   * @example { domains: ['billing', 'shipping'] }
   */
  readonly domains?: readonly string[]
}

/** A policy of RabbitMQ, as `rabbitmqctl set_policy` takes it. */
export interface PolicyDeclaration {
  /**
   * The name of the policy.
   * @example { name: 'limit' }
   */
  readonly name: string
  /**
   * A regular expression for names of queues.
   * @example { pattern: '^billing\\.' }
   */
  readonly pattern: string
  /**
   * `queues`, `all`, or from 3.12 on `quorum_queues`, `classic_queues`, `streams`. @default 'all'
   * @example { applyTo: 'queues' }
   */
  readonly applyTo?: string
  /**
   * Of the policies that match a queue, only the one with the highest priority applies. @default 0
   * @example { priority: 10 }
   */
  readonly priority?: number
  /**
   * Without the `x-` of arguments.
   * @example { definition: { 'max-length': 100_000 } }
   */
  readonly definition: Arguments
  /**
   * An operator policy, which is merged with the other. @default false
   * @example { operator: true }
   */
  readonly operator?: boolean
}

/** One of RabbitMQ's own types, or one of a plugin. */
export type ExchangeType = 'direct' | 'fanout' | 'topic' | 'headers' | `x-${string}`

/** An exchange, as it should be on the broker. */
export interface ExchangeDeclaration {
  /**
   * How it routes: `direct`, `fanout`, `topic`, `headers`, or a plugin's type that starts with `x-`.
   * @example { type: 'topic' }
   */
  readonly type: ExchangeType
  /**
   * Whether it outlives a restart of the broker. @default true
   * @example { durable: false }
   */
  readonly durable?: boolean
  /**
   * Whether the broker deletes it with its last binding. @default false
   * @example { autoDelete: true }
   */
  readonly autoDelete?: boolean
  /**
   * Whether only other exchanges may publish to it. @default false
   * @example { internal: true }
   */
  readonly internal?: boolean
  /**
   * Receives what this exchange cannot route.
   * @example { alternateExchange: 'orders.unrouted' }
   */
  readonly alternateExchange?: string
  /**
   * Bindings from other exchanges to this one.
   * @example { bind: [{ exchange: 'shop.events', key: 'order.#' }] }
   */
  readonly bind?: readonly BindingDeclaration[]
  /**
   * Any other argument of the exchange.
   * @example { arguments: { 'x-delayed-type': 'topic' } }
   */
  readonly arguments?: Arguments
}

/** Which messages of an exchange come here. */
export interface BindingDeclaration {
  /**
   * The exchange that they come from.
   * @example { exchange: 'orders.events' }
   */
  readonly exchange: string
  /**
   * The routing key, or a topic pattern with `*` and `#`. @default ''
   * @example { key: 'order.*' }
   */
  readonly key?: string
  /**
   * The headers to match, and `x-match`, where the exchange is of the type `headers`.
   * @example { arguments: { 'x-match': 'all', tenant: 'acme' } }
   */
  readonly arguments?: Arguments
}

/** A queue, with how its messages are retried and where they end. */
export interface QueueDeclaration {
  /**
   * Of this queue. @default the layout of the topology
   * @example { layout: { name: 'freeflow', namespace: 'acme' } }
   */
  readonly layout?: LayoutChoice
  /**
   * Of this queue. @default the setting of the topology
   * @example { layout: 'ratatoskr', exact: true }
   */
  readonly exact?: boolean
  /**
   * The bindings of the queue.
   * @example { bind: [{ exchange: 'orders.events', key: 'order.*' }] }
   */
  readonly bind?: readonly BindingDeclaration[]
  /**
   * The messages that its consumer has handlers for. `warren check` proves that these reach it, and no others.
   * @example { handles: ['OrderPlaced', 'OrderCancelled'] }
   */
  readonly handles?: readonly string[]
  /**
   * When a failed message is tried again. `false`: it goes to the dead-letter queue immediately. @default the layout's
   * @example { retry: { delays: ['5s', '30s', '5m'], maxAttempts: 5 } }
   */
  readonly retry?: RetryDeclaration | false
  /**
   * The dead-letter queue. `false`: a plain queue without retry and without a dead-letter queue. @default the layout's
   * @example { deadLetter: { arguments: { 'x-message-ttl': 2_592_000_000 } } }
   */
  readonly deadLetter?: DeadLetterDeclaration | false
  /**
   * What a plain queue (`deadLetter: false`) is for: `work` has a consumer, in `wait` messages sit out a delay, in
   * `dead-letter` they stay until a person decides. @default worked out from what the queue does
   * @example { deadLetter: false, role: 'wait' }
   */
  readonly role?: 'work' | 'wait' | 'dead-letter'
  /**
   * The type of the queue, its wait queues and its dead-letter queue alike. @default the layout's
   * @example { type: 'quorum' }
   */
  readonly type?: QueueType
  /**
   * Deliveries that may end without an answer before the broker itself parks the message. Layout warren.
   * @default 20
   * @example { poisonLimit: 5 }
   */
  readonly poisonLimit?: number
  /**
   * freeflow: which delay queues serve this queue. @default its name, less the namespace
   * @example { domain: 'billing' }
   */
  readonly domain?: string
  /**
   * Whether it outlives a restart of the broker. @default true
   * @example { type: 'classic', durable: false }
   */
  readonly durable?: boolean
  /**
   * Whether the broker deletes it when its last consumer leaves. @default false
   * @example { type: 'classic', autoDelete: true }
   */
  readonly autoDelete?: boolean
  /**
   * Arguments for the queue, added to those of the layout; yours win.
   * @example { arguments: { 'x-max-length': 100_000 } }
   */
  readonly arguments?: Arguments
  /**
   * Findings about this queue, and about those made for it, that you have considered and accept.
   * @example { accept: [{ finding: 'comes-home/seen-by-others', reason: 'the other queue ignores it' }] }
   */
  readonly accept?: readonly Omit<Acceptance, 'queue'>[]
}

/** When a failed message is tried again. */
export interface RetryDeclaration {
  /**
   * The wait before the second attempt, the third, and so on; the last one repeats.
   * @example { delays: ['5s', '30s', '5m', '30m'] }
   */
  readonly delays?: readonly Duration[]
  /**
   * How often a message is handled before it is parked. Say this or `maxRetries`.
   * @example { maxAttempts: 6 }
   */
  readonly maxAttempts?: number
  /**
   * One less than `maxAttempts`.
   * @example { maxRetries: 5 }
   */
  readonly maxRetries?: number
  /**
   * Arguments for every wait queue.
   * @example { arguments: { 'x-max-length': 10_000 } }
   */
  readonly arguments?: Arguments
}

/** The dead-letter queue of a queue. */
export interface DeadLetterDeclaration {
  /**
   * Arguments for the dead-letter queue.
   * @example { arguments: { 'x-max-length-bytes': 1_073_741_824 } }
   */
  readonly arguments?: Arguments
}

/** What a producer publishes. */
export interface PublicationDeclaration {
  /**
   * Where it publishes; `''` is the default exchange.
   * @example { exchange: 'orders.events' }
   */
  readonly exchange: string
  /**
   * The routing key. @default ''
   * @example { key: 'order.placed' }
   */
  readonly key?: string
  /**
   * The headers that an exchange of the type `headers` routes by.
   * @example { headers: { tenant: 'acme' } }
   */
  readonly headers?: Arguments
  /**
   * The messages carry their own `expiration`, of about this long. @default none
   * @example { expiration: '1h' }
   */
  readonly expiration?: Duration
}

/** A finding of the proof that you have weighed and live with. */
export interface Acceptance {
  /**
   * A property (`comes-home`), or one of its findings (`comes-home/seen-by-others`).
   * @example { finding: 'comes-home/seen-by-others' }
   */
  readonly finding: string
  /**
   * The queue that it is about. @default every queue
   * @example { queue: 'billing.orders' }
   */
  readonly queue?: string
  /**
   * Why you accept it.
   * @example { reason: 'the other queue ignores it' }
   */
  readonly reason: string
}

/** What RabbitMQ stores the messages of a queue in. */
export type QueueType = 'classic' | 'quorum' | 'stream'

/** Arguments of a queue, an exchange or a binding, as they go to the broker. */
export type Arguments = Readonly<Record<string, ArgumentValue>>

/** The value of an argument. */
export type ArgumentValue =
  | string
  | number
  | boolean
  | readonly ArgumentValue[]
  | { readonly [name: string]: ArgumentValue }
