import type { Duration } from '../message/duration.ts'
import type { LayoutName } from './layouts/layout-names.ts'

/** What a person writes: exchanges and queues by name, and how a queue retries and parks. */
export interface TopologyDeclaration<QueueName extends string = string> {
  /** For editors that read JSON Schema; ignored otherwise. */
  readonly $schema?: string
  /** @default 'warren' */
  readonly layout?: LayoutChoice
  /**
   * Gives the arguments of the layout's document and nothing else, for teams that already run it.
   * @default false, which adds the arguments that close the layout's holes on the broker's version
   */
  readonly exact?: boolean
  readonly exchanges?: Readonly<Record<string, ExchangeDeclaration>>
  readonly queues: Readonly<Record<QueueName, QueueDeclaration>>
  /** Policies that stand on the broker. The proof and the picture count with them; `apply` does not set them. */
  readonly policies?: readonly PolicyDeclaration[]
  /** What producers publish; the proof shows that each reaches a queue. */
  readonly publications?: readonly PublicationDeclaration[]
  /** Findings of the proof that you have weighed and live with. */
  readonly accept?: readonly Acceptance[]
  /** Read by `warren recover`; opaque here. */
  readonly recovery?: Readonly<Record<string, unknown>>
  /** Read by `warren serve`; opaque here. */
  readonly server?: Readonly<Record<string, unknown>>
}

/** A layout by name, or with its parameters. */
export type LayoutChoice = LayoutName | LayoutOptions

export interface LayoutOptions {
  readonly name: LayoutName
  /** event-bus: stands in for the part of the service name before its first hyphen. */
  readonly prefix?: string
  /** freeflow: the first word of every name. @default 'freeflow' */
  readonly namespace?: string
  /** freeflow: domains that get delay queues although no queue is declared for them here. */
  readonly domains?: readonly string[]
}

/** A policy of RabbitMQ, as `rabbitmqctl set_policy` takes it. */
export interface PolicyDeclaration {
  readonly name: string
  /** A regular expression for names of queues. */
  readonly pattern: string
  /** `queues`, `all`, or from 3.12 on `quorum_queues`, `classic_queues`, `streams`. @default 'all' */
  readonly applyTo?: string
  /** Of the policies that match a queue only the one of the highest priority applies. @default 0 */
  readonly priority?: number
  /** Without the `x-` of arguments. */
  readonly definition: Arguments
  /** An operator policy, which is merged with the other. @default false */
  readonly operator?: boolean
}

export interface ExchangeDeclaration {
  readonly type: string
  /** @default true */
  readonly durable?: boolean
  /** @default false */
  readonly autoDelete?: boolean
  /** @default false */
  readonly internal?: boolean
  /** Takes what this exchange cannot route. */
  readonly alternateExchange?: string
  /** Bindings from other exchanges to this one. */
  readonly bind?: readonly BindingDeclaration[]
  readonly arguments?: Arguments
}

export interface BindingDeclaration {
  readonly exchange: string
  /** @default '' */
  readonly key?: string
  readonly arguments?: Arguments
}

export interface QueueDeclaration {
  /** @default the layout of the topology */
  readonly layout?: LayoutChoice
  /** @default the setting of the topology */
  readonly exact?: boolean
  readonly bind?: readonly BindingDeclaration[]
  /** `false`: a failure goes to the dead-letter queue at once. */
  readonly retry?: RetryDeclaration | false
  /** `false`: a plain queue without retry and without a dead-letter queue. */
  readonly deadLetter?: DeadLetterDeclaration | false
  /**
   * What a plain queue (`deadLetter: false`) is for: `work` has a consumer, in `wait` messages sit out a delay, in
   * `dead-letter` they stay until a person decides. @default worked out from what the queue does
   */
  readonly role?: 'work' | 'wait' | 'dead-letter'
  /** Of the queue, its wait queues and its dead-letter queue alike. @default the layout's */
  readonly type?: QueueType
  /**
   * Deliveries that may end without an answer before the broker itself parks the message. Layout warren.
   * @default 20
   */
  readonly poisonLimit?: number
  /** freeflow: which delay queues serve this queue. @default its name, less the namespace */
  readonly domain?: string
  /** @default true */
  readonly durable?: boolean
  /** @default false */
  readonly autoDelete?: boolean
  /** Added to those of the layout; yours win. */
  readonly arguments?: Arguments
  readonly accept?: readonly Omit<Acceptance, 'queue'>[]
}

export interface RetryDeclaration {
  /** The wait before the second attempt, the third, and so on; the last one repeats. */
  readonly delays?: readonly Duration[]
  /** How often a message is handled before it is parked. Say this or `maxRetries`. */
  readonly maxAttempts?: number
  /** One less than `maxAttempts`. */
  readonly maxRetries?: number
  /** Added to every wait queue. */
  readonly arguments?: Arguments
}

export interface DeadLetterDeclaration {
  /** Added to the dead-letter queue. */
  readonly arguments?: Arguments
}

export interface PublicationDeclaration {
  readonly exchange: string
  /** @default '' */
  readonly key?: string
  readonly headers?: Arguments
  /** The messages carry an `expiration` of their own, of about so long. @default none */
  readonly expiration?: Duration
}

export interface Acceptance {
  /** A property (`comes-home`), or one of its findings (`comes-home/seen-by-others`). */
  readonly finding: string
  /** @default every queue */
  readonly queue?: string
  readonly reason: string
}

export type QueueType = 'classic' | 'quorum' | 'stream'

/** Arguments of a queue, an exchange or a binding, as they go to the broker. */
export type Arguments = Readonly<Record<string, ArgumentValue>>

export type ArgumentValue =
  | string
  | number
  | boolean
  | readonly ArgumentValue[]
  | { readonly [name: string]: ArgumentValue }
