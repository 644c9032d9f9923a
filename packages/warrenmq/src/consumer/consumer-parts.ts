import type { Session } from '../broker/amqp/session.ts'
import type { Publisher } from '../publisher/publisher.ts'
import type { NameMessage } from '../topology/name-message.ts'
import type { QueueFlow } from '../topology/queue-flow.ts'
import type { ConsumerOptions } from './consumer-options.ts'
import type { Handler } from './handler.ts'
import type { WayLook } from './way-out/way-look.ts'

/** What a consumer is made of. */
export interface ConsumerParts {
  /** The session that its messages come by. */
  readonly consuming: Session
  /** A session gets a publisher of its own. Use another connection than the consuming one: a blocked publisher is not read. */
  readonly publishing: Publisher | Session
  /** The queue, and how its messages are retried and parked. */
  readonly flow: QueueFlow
  /** Who is asked for what AMQP does not show of the way of a failed message; undefined: nobody. */
  readonly wayLook?: WayLook | undefined
  /** The user's function, called once for each attempt. */
  readonly handler: Handler
  /** As `consume` takes them. */
  readonly options?: ConsumerOptions
  /** The name of a message that says no type itself, for its dead letter. */
  readonly nameOf?: NameMessage | undefined
  /** Nothing more comes for now: whatever waits in the handler for others shall not. */
  readonly onQuiet?: (() => void) | undefined
}
