/** Exchanges, queues and bindings on the line. A part of contract.ts, which gives them on. */

type Arguments = Readonly<Record<string, unknown>>

export interface TopologyExchange {
  readonly name: string
  readonly type: string
  readonly durable: boolean
  readonly autoDelete: boolean
  readonly internal: boolean
  readonly arguments: Arguments
}

export interface TopologyBinding {
  readonly source: string
  readonly destination: string
  readonly destinationType: 'queue' | 'exchange'
  readonly key: string
  readonly arguments: Arguments
}

interface TopologyQueue {
  readonly name: string
  readonly type: string
  readonly durable: boolean
  readonly autoDelete: boolean
  readonly arguments: Arguments
}

export interface CompiledQueue extends TopologyQueue {
  readonly role: 'work' | 'wait' | 'dead-letter'
  /** The declared queue that it was made for. */
  readonly owner: string
  readonly layout: string
}

export interface LiveQueue extends TopologyQueue {
  readonly policy: string | null
  readonly operatorPolicy: string | null
  /** Some seconds old, as are the consumers; null where RabbitMQ keeps no statistics, or has none yet. */
  readonly messages: number | null
  readonly consumers: number | null
}

/** What the config declares, spelled out for the version of the broker. */
export interface CompiledTopology {
  readonly brokerVersion: string
  readonly exchanges: readonly TopologyExchange[]
  readonly queues: readonly CompiledQueue[]
  readonly bindings: readonly TopologyBinding[]
}

/** What stands in the vhost. */
export interface LiveTopology {
  readonly brokerVersion: string
  readonly exchanges: readonly TopologyExchange[]
  readonly queues: readonly LiveQueue[]
  readonly bindings: readonly TopologyBinding[]
  readonly policies: readonly {
    readonly name: string
    readonly pattern: string
    readonly applyTo: string
    readonly priority: number
    readonly definition: Arguments
    readonly isOperatorPolicy: boolean
  }[]
}

export interface PlanStep {
  readonly kind: 'create-exchange' | 'create-queue' | 'add-binding' | 'remove-binding' | 'delete-queue'
  /** The name of the exchange or queue; of a binding both ends and its key. */
  readonly target: string
}

/** What can be done about a setting that RabbitMQ cannot change. */
interface WayOut {
  readonly kind: 'exact' | 'policy' | 'recreate' | 'declare-as-is' | 'rename'
  /** In the words of `warren plan`. */
  readonly text: string
}

export interface TopologyPlan {
  /** Names this very plan: apply takes it, so that nobody carries out another than the one they read. */
  readonly digest: string
  readonly brokerVersion: string
  readonly isEmpty: boolean
  readonly safe: readonly PlanStep[]
  readonly disruptive: readonly PlanStep[]
  readonly impossible: readonly {
    readonly name: string
    readonly changes: readonly {
      readonly setting: string
      readonly wanted: unknown
      readonly live: unknown
    }[]
    readonly messages: number | null
    readonly waysOut: readonly WayOut[]
  }[]
  /** Wait queues of delays that were dropped. They run empty by themselves, and an apply over HTTP keeps them. */
  readonly leftovers: readonly {
    readonly queue: string
    readonly of: string
    readonly messages: number | null
  }[]
  /** Bindings of others, which are left alone. */
  readonly unmanaged: readonly TopologyBinding[]
  readonly policyConflicts: readonly {
    readonly queue: string
    readonly key: string
    readonly policies: readonly string[]
    readonly consequence: string
  }[]
  /** As `warren plan` writes it. */
  readonly text: string
}

export interface TopologyFinding {
  readonly property: string
  readonly code: string
  readonly queue: string | null
  /** What happens to a message, step by step. */
  readonly path: readonly string[]
  readonly problem: string
  readonly wayOut: string
}

/** A queue, or `exchange x`, and which of its messages. */
export interface PlaceOfLoss {
  readonly at: string
  readonly what: 'on-the-way' | 'due-meanwhile' | 'everything'
}

/** What was proved of the declared topology on this broker's version, and what was not. */
export interface TopologyProblems {
  readonly brokerVersion: string
  readonly isProved: boolean
  readonly properties: readonly {
    readonly property: string
    readonly holds: number
    readonly broken: number
    readonly accepted: number
  }[]
  readonly findings: readonly TopologyFinding[]
  readonly accepted: readonly { readonly finding: TopologyFinding; readonly reason: string }[]
  /** What the end of a node loses: by a clean stop, and by a crash (kill -9). */
  readonly losesAt: { readonly stop: readonly PlaceOfLoss[]; readonly crash: readonly PlaceOfLoss[] }
  readonly assumptions: readonly { readonly text: string; readonly queues: readonly string[] }[]
  /** What the broker does by itself, out of everybody's hands. */
  readonly caveats: readonly { readonly text: string; readonly queues: readonly string[] }[]
  /** Known faults of this version of RabbitMQ. */
  readonly notes: readonly { readonly severity: string; readonly text: string }[]
}

export interface ApplyRequest {
  /** The digest of the plan that was read. */
  readonly plan: string
  /** Also remove bindings. */
  readonly allowDisruptive?: boolean
  readonly reason?: string
}

export interface ApplyResult {
  readonly kind: 'applied'
  readonly done: number
  readonly kept: number
  readonly skipped: number
  readonly failed: number
  readonly impossible: number
  readonly isComplete: boolean
  readonly results: readonly (PlanStep & {
    readonly outcome: 'done' | 'kept' | 'skipped' | 'failed'
    readonly problem: string | null
  })[]
}
