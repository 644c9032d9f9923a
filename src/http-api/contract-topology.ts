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
  /** Some seconds old. */
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
  readonly assumptions: readonly { readonly text: string; readonly queues: readonly string[] }[]
  /** Known faults of this version of RabbitMQ. */
  readonly notes: readonly { readonly severity: string; readonly text: string }[]
}

export interface ApplyRequest {
  /** The digest of the plan that was read. */
  readonly plan: string
  /** Also remove bindings and delete idle queues. */
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
