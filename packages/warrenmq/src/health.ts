import type { Session } from './broker/amqp/session.ts'
import type { SessionState } from './broker/amqp/session-state.ts'
import type { Consumer } from './consumer/consumer.ts'
import type { BreakerKind } from './consumer/observe/consumer-events.ts'

/** How an application's connection to RabbitMQ is at this moment, as far as it knows without asking anybody. */
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

/** How a connection is. */
export interface ConnectionHealth {
  /** `waiting` is the pause before the next attempt to connect. */
  readonly state: SessionState
  /** Why the broker reads no publishes, in its words; undefined while it does. It tells a connection that publishes. */
  readonly blocked: string | undefined
  /** What the broker runs out of. */
  readonly alarms: readonly Alarm[]
}

/** What a broker can run out of. */
export type Alarm = 'memory' | 'disk'

/** How a consumer is. */
export interface ConsumerHealth {
  /** The queue, by its name on the broker. */
  readonly queue: string
  /** `starting`: its queue or its channel is not there, and it tries again. */
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
