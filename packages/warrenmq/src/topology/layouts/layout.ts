import type { BrokerCapabilities } from '../../message/broker-capabilities.ts'
import type { CompiledBinding, CompiledExchange, CompiledQueue } from '../compiled-topology.ts'
import type { Arguments, BindingDeclaration, LayoutOptions, QueueType } from '../declaration.ts'
import type { LiveIndex } from '../live-topology.ts'
import type { QueueFlow } from '../queue-flow.ts'
import type { LayoutName } from './layout-names.ts'

/** One way to lay out retry and dead letters around a queue. */
export interface Layout {
  readonly name: LayoutName
  /** One sentence for `warren init` and the docs. */
  readonly summary: string
  /** False where there is no document to be exact to. */
  readonly hasExactForm: boolean
  /** reject: the broker moves a failed message to one wait queue. publish: the consumer picks the delay. */
  readonly retriesBy: 'reject' | 'publish'
  /** The type that the document names, or RabbitMQ's default where it names none. */
  readonly exactType: QueueType
  readonly defaultDelaysMs: readonly number[]
  readonly defaultMaxAttempts: number
  /** Parameters and queue settings that mean something to this layout only. */
  readonly settings: readonly LayoutSetting[]
  compileQueue(queue: ResolvedQueue): LayoutParts
  /** Parts that stand without a declared queue. */
  compileShared?(shared: SharedSettings): LayoutParts
  /** The declaration that `queue` on a live broker may have come from, judged by names alone. */
  guessDeclaration(queue: string, live: LiveIndex): LayoutGuess | undefined
}

export type LayoutSetting = 'prefix' | 'namespace' | 'domains' | 'domain' | 'poisonLimit'

/** A declared queue with every default filled in. */
export interface ResolvedQueue {
  readonly name: string
  readonly options: LayoutOptions
  readonly isExact: boolean
  readonly capabilities: BrokerCapabilities
  readonly type: QueueType
  readonly durable: boolean
  readonly autoDelete: boolean
  readonly bind: readonly BindingDeclaration[] | undefined
  /** Undefined where `retry: false`. */
  readonly retry: ResolvedRetry | undefined
  readonly poisonLimit: number
  readonly domain: string | undefined
  readonly arguments: Arguments
  readonly deadLetterArguments: Arguments
}

export interface ResolvedRetry {
  readonly delaysMs: readonly number[]
  readonly maxAttempts: number
  readonly arguments: Arguments
}

export interface SharedSettings {
  readonly options: LayoutOptions
  readonly isExact: boolean
  readonly capabilities: BrokerCapabilities
}

/** What a layout makes of one queue. Things that several queues share are said by each of them alike. */
export interface LayoutParts {
  readonly exchanges: readonly CompiledExchange[]
  readonly queues: readonly CompiledQueue[]
  readonly bindings: readonly CompiledBinding[]
  readonly flow: QueueFlow | undefined
}

export interface LayoutGuess {
  /** The key in `queues`. */
  readonly name: string
  readonly options: LayoutOptions
  readonly domain?: string
  readonly delaysMs: readonly number[]
}
