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
  /**
   * The declaration it was compiled from: a plan compiles it again, for the version that answers and in its exact form.
   */
  readonly declaration: TopologyDeclaration
  /** The version that it was compiled for. */
  readonly brokerVersion: BrokerVersion
  /** All exchanges. */
  readonly exchanges: readonly CompiledExchange[]
  /** All queues: those declared, their wait queues and their dead-letter queues. */
  readonly queues: readonly CompiledQueue[]
  /** All bindings. */
  readonly bindings: readonly CompiledBinding[]
  /** One for each declared queue, in the order of the declaration. */
  readonly flows: readonly QueueFlow[]
  /** What producers publish. */
  readonly publications: readonly PublicationDeclaration[]
  /** What the broker is known to have; `apply` sets none. */
  readonly policies: readonly LivePolicy[]
  /** Findings of the proof that were accepted. */
  readonly accept: readonly Acceptance[]
}

/** An exchange, as `apply` declares it. */
export interface CompiledExchange {
  /** Its name on the broker. */
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

/** A queue, as `apply` declares it. */
export interface CompiledQueue {
  /** Its name on the broker. */
  readonly name: string
  /** Goes to the broker as `x-queue-type`, always said, because a vhost may have a default of its own. */
  readonly type: QueueType
  /** Whether it survives a restart of the broker. */
  readonly durable: boolean
  /** Whether the broker deletes it when its last consumer leaves. */
  readonly autoDelete: boolean
  /** Without `x-queue-type`, which is `type`. */
  readonly arguments: Arguments
  /** What it is for. */
  readonly role: QueueRole
  /** Warren worked the role out from what the queue does; the declaration does not state it. */
  readonly isRoleInferred?: boolean
  /** The declared queue that this one was made for; a shared one names the first. */
  readonly owner: string
  /** The layout that it belongs to. */
  readonly layout: LayoutName
}

/** work: has a consumer. wait: messages sit out a delay. dead-letter: messages stay until a person decides. */
export type QueueRole = 'work' | 'wait' | 'dead-letter'

/** A binding, as `apply` makes it. */
export interface CompiledBinding {
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
