import type { ReturnedMessage } from '../broker/amqp/message.ts'
import type { WarrenError } from '../errors.ts'
import type { EncodedMessage } from './outgoing-message.ts'
import type { PublishLimits } from './publish-options.ts'
import type { PublishResult } from './publish-result.ts'

/** A publish that has no result yet. */
export interface PendingPublish {
  message: EncodedMessage
  readonly bytes: number
  readonly deadlineAt: number
  readonly settle: (result: PublishResult) => void
  mayBeDuplicate: boolean
  returned: ReturnedMessage | undefined
  /** Connections that were lost while it was on the wire. */
  lostConnections: number
  /** The number by which the broker answers, on the channel of now; 0 while it waits to be sent. */
  tag: number
  /** A message came back that may have been this one. */
  mayBeReturned: boolean
  /** When it is given up, beside the deadline of its publisher; undefined where nothing else is said. */
  readonly limits: PublishLimits | undefined
  /** It has its result, and stands in a line only until it is first there. */
  isOver: boolean
  /** Listens no more to what could give it up. */
  release: (() => void) | undefined
}

/** A callback that throws must not keep the others from their results; its error is reported as uncaught. */
export function tell(publish: PendingPublish, result: PublishResult): void {
  publish.isOver = true
  publish.release?.()
  try {
    publish.settle(result)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}

export function unknown(publish: PendingPublish, wasSent: boolean, cause: WarrenError): PublishResult {
  return { kind: 'unknown', messageId: publish.message.messageId, wasSent, cause }
}
