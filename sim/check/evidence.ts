import type { QueueFlow } from '../../packages/warrenmq/src/topology/queue-flow.ts'
import type { BrokerWatch } from '../actors/broker-watch.ts'
import type { Ledger } from '../actors/ledger.ts'
import type { Scenario } from '../actors/scenario.ts'
import type { SimBroker } from '../actors/sim-broker.ts'
import type { Fault } from '../nemesis/faults.ts'
import type { Universe } from '../world/universe.ts'

/** A promise that was broken. */
export interface Violation {
  readonly rule: string
  readonly detail: string
}

/** All that a checker may look at. */
export interface Evidence {
  readonly scenario: Scenario
  readonly ledger: Ledger
  readonly broker: SimBroker
  readonly watch: BrokerWatch
  readonly universe: Universe
  readonly faults: readonly Fault[]
  readonly flow: QueueFlow
  violate(rule: string, detail: string): void
}
