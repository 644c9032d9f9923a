import { inject } from 'vitest'

/** The one broker of a test run, as the global setup hands it to the test files. */
export interface SharedBroker {
  /** As the broker says it: "4.0.5". */
  readonly version: string
  /** Ends at the port; a vhost is added as its path. */
  readonly amqpUrl: string
  readonly managementUrl: string
  readonly username: string
  readonly password: string
  /** Begins the name of every vhost of this run, so that what a crash left behind can be told apart. */
  readonly vhostPrefix: string
  /** False when the broker is somebody else's: then no test can start, kill or pause a node. */
  readonly canStartNodes: boolean
}

declare module 'vitest' {
  interface ProvidedContext {
    broker: SharedBroker
  }
}

/** The broker of this run. Make a vhost on it before you use it. */
export function sharedBroker(): SharedBroker {
  return inject('broker')
}
