import type { BrokerVersion } from '../message/broker-version.ts'
import type {
  Acceptance,
  Arguments,
  PublicationDeclaration,
  QueueType,
  TopologyDeclaration,
} from './declaration.ts'
import type { LayoutName } from './layouts/layout-names.ts'
import type { LivePolicy } from './live-topology.ts'
import type { QueueFlow } from './queue-flow.ts'

/** Everything the broker must have, spelled out for one broker version. */
export interface CompiledTopology {
  /** What it was made of: a plan compiles it again, for the version that answers, and in its exact form. */
  readonly declaration: TopologyDeclaration
  readonly brokerVersion: BrokerVersion
  readonly exchanges: readonly CompiledExchange[]
  readonly queues: readonly CompiledQueue[]
  readonly bindings: readonly CompiledBinding[]
  /** One for each declared queue, in the order of the declaration. */
  readonly flows: readonly QueueFlow[]
  readonly publications: readonly PublicationDeclaration[]
  /** What the broker is known to have; `apply` sets none. */
  readonly policies: readonly LivePolicy[]
  readonly accept: readonly Acceptance[]
}

export interface CompiledExchange {
  readonly name: string
  readonly type: string
  readonly durable: boolean
  readonly autoDelete: boolean
  readonly internal: boolean
  readonly arguments: Arguments
}

export interface CompiledQueue {
  readonly name: string
  /** Goes to the broker as `x-queue-type`, always said, because a vhost may have a default of its own. */
  readonly type: QueueType
  readonly durable: boolean
  readonly autoDelete: boolean
  /** Without `x-queue-type`, which is `type`. */
  readonly arguments: Arguments
  readonly role: QueueRole
  /** The role was worked out from what the queue does, and nobody has said it. */
  readonly isRoleInferred?: boolean
  /** The declared queue that this one was made for; a shared one names the first. */
  readonly owner: string
  readonly layout: LayoutName
}

/** work: has a consumer. wait: messages sit out a delay. dead-letter: messages stay until a person decides. */
export type QueueRole = 'work' | 'wait' | 'dead-letter'

export interface CompiledBinding {
  readonly source: string
  readonly destination: string
  readonly destinationType: 'queue' | 'exchange'
  readonly key: string
  readonly arguments: Arguments
}
