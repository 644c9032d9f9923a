import type { BackoffPolicy } from './broker/amqp/decide-backoff.ts'
import type { SessionOptions } from './broker/amqp/session.ts'
import type { EndingSignal } from './consumer/run/on-signals.ts'
import type { Duration } from './message/duration.ts'
import type { TracingApi } from './publisher/tracing-api.ts'
import type { Topology } from './topology/define-topology.ts'
import type { MessageDeclarations, NoMessages } from './topology/message-declaration.ts'

/** The pauses between attempts to connect: they double, minus up to half of each at random. */
export interface BackoffOptions extends Partial<BackoffPolicy> {
  /**
   * The first pause. @default '100ms'
   * @example { initial: '250ms' }
   */
  readonly initial?: Duration
  /**
   * The longest pause. @default '30s'
   * @example { max: '1m' }
   */
  readonly max?: Duration
}

/** How Warren connects, and to what. */
export interface ConnectOptions<
  QueueName extends string = never,
  Messages extends MessageDeclarations = NoMessages,
  Routed = Readonly<Record<QueueName, keyof Messages>>,
> extends SessionOptions {
  /**
   * For the socket, TLS and the handshake together. @default '10s'
   * @example { connectTimeout: '5s' }
   */
  readonly connectTimeout?: Duration
  /**
   * How long a declare, a bind or the like may take. @default '1m'
   * @example { replyTimeout: '20s' }
   */
  readonly replyTimeout?: Duration
  /**
   * How long the first connection may take over all hosts and attempts, for brokers that are still starting. @default one attempt for each host
   * @example { waitForBroker: '2m' }
   */
  readonly waitForBroker?: Duration
  /**
   * The pauses between attempts to connect.
   * @example { backoff: { initial: '250ms', max: '1m' } }
   */
  readonly backoff?: BackoffOptions
  /**
   * The result of `defineTopology`: `consume` takes its queues, and `apply` declares it.
   * @example { topology: defineTopology({ queues: { orders: {} } }) }
   */
  readonly topology?: Topology<QueueName, Messages, Routed>
  /**
   * The address of RabbitMQ's HTTP API, for `plan`, `apply`, `deadLetters` and `recover`. Without a login, that of the
   * broker's URL is used. Warren first proves that the API belongs to this broker. @default the variable
   * MANAGEMENT_URL, or the same host, port 15672 or 15671
   * @example { managementUrl: 'http://rabbit.example:15672' }
   */
  readonly managementUrl?: string
  /**
   * Closes everything at one of these signals, and then lets the signal end the process, unless other code listens to
   * it. A second signal does not wait. @default none
   * @example { closeOn: ['SIGTERM', 'SIGINT'] }
   */
  readonly closeOn?: readonly EndingSignal[]
  /**
   * How long `closeOn` lets running handlers finish. @default '30s'
   * @example { closeDeadline: '20s' }
   */
  readonly closeDeadline?: Duration
  /**
   * The module `@opentelemetry/api`: spans of every publish and every attempt.
   * @example { tracing: opentelemetry }
   */
  readonly tracing?: TracingApi
}
