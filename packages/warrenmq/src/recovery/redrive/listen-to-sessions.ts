import type { SessionPair } from '../../broker/amqp/open-session-pair.ts'
import { describeEndpoint } from '../../broker/amqp/parse-amqp-url.ts'
import type { Session } from '../../broker/amqp/session.ts'
import type { ConnectionError } from '../../errors.ts'
import type { Reconnection } from './crash-state.ts'
import type { RedriveEvent } from './redrive-event.ts'

export interface SessionListener {
  tell(event: RedriveEvent<never>): void
  /** The broker does not let this user in. */
  onRefused(error: ConnectionError): void
}

/** Tells how the connections of a re-drive are and what becomes of them. Gives back how to end it. */
export function listenToSessions(
  { consuming, publishing }: SessionPair,
  { tell, onRefused }: SessionListener,
): readonly (() => void)[] {
  const noteRefusal = ({ error }: { readonly error: ConnectionError }): void => {
    if (error.isFinal) onRefused(error)
  }
  if (!consuming.connection) tell({ kind: 'disconnected', connection: 'consuming' })
  if (!publishing.connection) tell({ kind: 'disconnected', connection: 'publishing' })
  if (publishing.blockedReason !== undefined) tell({ kind: 'blocked' })
  return [
    consuming.events.on('connection.lost', () => tell({ kind: 'disconnected', connection: 'consuming' })),
    ...listenForReconnections(consuming, (reconnection) =>
      tell({ kind: 'connected', connection: 'consuming', reconnection }),
    ),
    publishing.events.on('connection.lost', () => tell({ kind: 'disconnected', connection: 'publishing' })),
    publishing.events.on('connection.opened', () => tell({ kind: 'connected', connection: 'publishing' })),
    publishing.events.on('connection.blocked', () => tell({ kind: 'blocked' })),
    publishing.events.on('connection.unblocked', () => tell({ kind: 'unblocked' })),
    consuming.events.on('connection.failed', noteRefusal),
    publishing.events.on('connection.failed', noteRefusal),
  ]
}

/** Tells how the broker was found again. A connection that comes back at the first try, at the same node, was only cut. */
function listenForReconnections(
  session: Session,
  onReconnection: (reconnection: Reconnection) => void,
): readonly (() => void)[] {
  let endpoint = session.connection && describeEndpoint(session.connection.endpoint)
  let hasFailed = false
  return [
    session.events.on('connection.failed', () => {
      hasFailed = true
    }),
    session.events.on('connection.opened', (now) => {
      const isElsewhere = endpoint !== undefined && now.endpoint !== endpoint
      const reconnection = isElsewhere ? 'moved' : hasFailed ? 'after-a-while' : 'at-once'
      endpoint = now.endpoint
      hasFailed = false
      onReconnection(reconnection)
    }),
  ]
}
