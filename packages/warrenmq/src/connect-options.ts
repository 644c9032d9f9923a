import type { SessionOptions } from './broker/amqp/session.ts'
import type { EndingSignal } from './consumer/run/on-signals.ts'
import type { Duration } from './message/duration.ts'
import type { TracingApi } from './publisher/tracing-api.ts'
import type { Topology } from './topology/define-topology.ts'

export interface ConnectOptions<QueueName extends string = never> extends SessionOptions {
  /** What `defineTopology` gave; `consume` takes its queues and `apply` declares it. */
  readonly topology?: Topology<QueueName>
  /**
   * Where RabbitMQ's HTTP API is, for `plan`, `apply`, `deadLetters` and `recover`. Without a login it is that of the
   * broker's URL. Nothing is asked of it before it is proved to be the API of this very broker. @default the variable
   * MANAGEMENT_URL, or the same host, port 15672 or 15671
   */
  readonly managementUrl?: string
  /**
   * Closes everything at one of these signals, then lets the signal end the process, or leaves that to whoever else
   * listens to it. A second signal does not wait. @default none
   */
  readonly closeOn?: readonly EndingSignal[]
  /** How long `closeOn` lets running handlers finish. @default '30s' */
  readonly closeDeadline?: Duration
  /** The module `@opentelemetry/api`: spans of every publish and every attempt. */
  readonly tracing?: TracingApi
}
