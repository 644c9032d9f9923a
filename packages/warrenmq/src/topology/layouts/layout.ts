import type { BrokerCapabilities } from '../../message/broker-capabilities.ts'
import type { CompiledBinding, CompiledExchange, CompiledQueue } from '../compiled-topology.ts'
import type { Arguments, BindingDeclaration, LayoutOptions, QueueType } from '../declaration.ts'
import type { LiveIndex } from '../live-topology.ts'
import type { QueueFlow } from '../queue-flow.ts'
import type { LayoutName } from './layout-names.ts'

/** One way to lay out retry and dead letters around a queue. */
export interface Layout {
  /** As a declaration names it. */
  readonly name: LayoutName
  /** One sentence for `warren init` and the docs. */
  readonly summary: string
  /** False where there is no document to be exact to. */
  readonly hasExactForm: boolean
  /** reject: the broker moves a failed message to one wait queue. publish: the consumer picks the delay. */
  readonly retriesBy: 'reject' | 'publish'
  /** The type that the document names, or RabbitMQ's default where it names none. */
  readonly exactType: QueueType
  /** The waits before each retry, in milliseconds, where a queue declares none. */
  readonly defaultDelaysMs: readonly number[]
  /** How often a message is tried, the first time included, where a queue does not say. */
  readonly defaultMaxAttempts: number
  /** Parameters and queue settings that mean something to this layout only. */
  readonly settings: readonly LayoutSetting[]
  /** Everything around one queue: exchanges, queues, bindings, and how it retries. */
  compileQueue(queue: ResolvedQueue): LayoutParts
  /** Parts that stand without a declared queue. */
  compileShared?(shared: SharedSettings): LayoutParts
  /** The declaration that `queue` on a live broker may have come from, judged by names alone. */
  guessDeclaration(queue: string, live: LiveIndex): LayoutGuess | undefined
}

/** A setting that only some layouts know. */
export type LayoutSetting = 'prefix' | 'namespace' | 'domains' | 'domain' | 'poisonLimit'

/** A declared queue with every default filled in. */
export interface ResolvedQueue {
  /** Its name in the topology, which is its name on the broker. */
  readonly name: string
  /** The layout, with its parameters. */
  readonly options: LayoutOptions
  /** As the document of the layout has it, without Warren's hardening. */
  readonly isExact: boolean
  /** What the broker version can do. */
  readonly capabilities: BrokerCapabilities
  /** `classic` or `quorum`. */
  readonly type: QueueType
  /** It survives a restart of the broker. */
  readonly durable: boolean
  /** It goes with its last consumer. */
  readonly autoDelete: boolean
  /** Bindings that were declared for it; undefined: none. */
  readonly bind: readonly BindingDeclaration[] | undefined
  /** Undefined where `retry: false`. */
  readonly retry: ResolvedRetry | undefined
  /** Deliveries that may end without an answer before the broker parks the message. */
  readonly poisonLimit: number
  /** Of the layout freeflow: which delay queues serve it; undefined: none was declared. */
  readonly domain: string | undefined
  /** Those that were declared for the queue itself. */
  readonly arguments: Arguments
  /** Those that were declared for its dead-letter queue. */
  readonly deadLetterArguments: Arguments
}

/** How a queue retries, with every default filled in. */
export interface ResolvedRetry {
  /** The waits before each retry, in milliseconds. */
  readonly delaysMs: readonly number[]
  /** How often a message is tried, the first time included. */
  readonly maxAttempts: number
  /** Those that were declared for its wait queues. */
  readonly arguments: Arguments
}

/** What the parts that queues share are made from. */
export interface SharedSettings {
  /** The layout, with its parameters. */
  readonly options: LayoutOptions
  /** As the document of the layout has it, without Warren's hardening. */
  readonly isExact: boolean
  /** What the broker version can do. */
  readonly capabilities: BrokerCapabilities
}

/** What a layout makes of one queue. Things that several queues share are said by each of them alike. */
export interface LayoutParts {
  /** Exchanges to declare. */
  readonly exchanges: readonly CompiledExchange[]
  /** The queue itself, its wait queues and its dead-letter queue. */
  readonly queues: readonly CompiledQueue[]
  /** Bindings between them. */
  readonly bindings: readonly CompiledBinding[]
  /** How its messages are retried and parked; undefined for a queue that does neither. */
  readonly flow: QueueFlow | undefined
}

/** A declaration that a queue on a broker may have come from. */
export interface LayoutGuess {
  /** The key in `queues`. */
  readonly name: string
  /** The layout, with its parameters. */
  readonly options: LayoutOptions
  /** Of the layout freeflow: which delay queues serve it. */
  readonly domain?: string
  /** The waits of its wait queues, in milliseconds, the shortest first. */
  readonly delaysMs: readonly number[]
}
