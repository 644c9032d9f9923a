import type { Broker, CompiledTopology, Management, TypeRoutes } from 'warrenmq/operations'

/** The server's own connections to the broker. */
export interface ServerBroker extends Broker {
  readonly management: Management
  readonly vhost: string
  /** The declared topology; undefined where there is no config. */
  readonly topology: CompiledTopology | undefined
  /** Where messages of a type go whose origin nothing else tells, as the config's recovery section says. */
  readonly types?: TypeRoutes | undefined
}
