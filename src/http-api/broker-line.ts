import type { Session } from '../broker/amqp/session.ts'
import type { Management } from '../broker/management/open-management.ts'
import type { TypeRoutes } from '../recovery/plan-redrive.ts'
import type { CompiledTopology } from '../topology/compiled-topology.ts'

/** The server's own line to the broker. */
export interface BrokerLine {
  readonly consuming: Session
  readonly publishing: Session
  readonly management: Management
  readonly vhost: string
  /** The declared topology; undefined where there is no config. */
  readonly topology: CompiledTopology | undefined
  /** Where messages of a type go whose origin nothing else tells, as the config's recovery section says. */
  readonly types?: TypeRoutes | undefined
}
