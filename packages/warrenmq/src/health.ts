import type { Session } from './broker/amqp/session.ts'
import type { SessionState } from './broker/amqp/session-state.ts'
import type { Consumer } from './consumer/consumer.ts'
import type { BreakerKind } from './consumer/observe/consumer-events.ts'

/** The state of an application's connection to RabbitMQ right now, without asking the broker. */
export interface Health {
  /** Both connections are there, publishing is not blocked, and every consumer receives or is paused. */
  readonly isHealthy: boolean
  /** The connection that consumes. */
  readonly consuming: ConnectionHealth
  /** The connection that publishes. */
  readonly publishing: ConnectionHealth
  /** Every consumer that is not closed. */
  readonly consumers: readonly ConsumerHealth[]
  /** Publishes that have no result yet. */
  readonly pendingPublishes: number
}

/** The state of a connection. */
export interface ConnectionHealth {
  /** `waiting` is the pause before the next attempt to connect. */
  readonly state: SessionState
  /**
   * Why the broker accepts no publishes, in its words; undefined while it does. It tells only connections that publish.
   */
  readonly blocked: string | undefined
  /** What the broker is short of. */
  readonly alarms: readonly Alarm[]
}

/** What a broker can be short of. */
export type Alarm = 'memory' | 'disk'

/** The state of a consumer. */
export interface ConsumerHealth {
  /** The queue, by its name on the broker. */
  readonly queue: string
  /** `starting`: its queue or channel is missing, and it tries again. */
  readonly state: 'receiving' | 'starting' | 'paused'
  /** Whether its circuit breaker lets messages through. */
  readonly breaker: BreakerKind
  /** Messages that wait for a handler. */
  readonly waiting: number
  /** Messages in a handler. */
  readonly running: number
  /** Messages that are held until later. */
  readonly held: number
}

export function readHealth({
  consuming,
  publishing,
  consumers,
  pendingPublishes,
}: {
  readonly consuming: Session
  readonly publishing: Session
  readonly consumers: Iterable<Consumer>
  readonly pendingPublishes: number
}): Health {
  const health = {
    consuming: healthOf(consuming),
    publishing: healthOf(publishing),
    consumers: [...consumers].map(consumerHealth),
    pendingPublishes,
  }
  const isConnected = health.consuming.state === 'connected' && health.publishing.state === 'connected'
  const isReceiving = health.consumers.every(({ state }) => state !== 'starting')
  return { isHealthy: isConnected && isReceiving && health.publishing.blocked === undefined, ...health }
}

/** RabbitMQ says `low on memory`, `low on disk`, or both. */
function healthOf({ state, blockedReason: blocked }: Session): ConnectionHealth {
  const alarms = (['memory', 'disk'] as const).filter((resource) => blocked?.includes(resource))
  return { state, blocked, alarms }
}

function consumerHealth({ queue, isPaused, isStarted, breaker, counts }: Consumer): ConsumerHealth {
  const state = isPaused ? 'paused' : isStarted ? 'receiving' : 'starting'
  return { queue, state, breaker, ...counts }
}
