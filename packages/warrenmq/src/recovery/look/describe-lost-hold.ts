import { ChannelError, RecoveryError } from '../../errors.ts'
import { brokerCapabilities } from '../../message/broker-capabilities.ts'
import type { BrokerVersion } from '../../message/broker-version.ts'
import { isAckTimeout } from './is-connection-lost.ts'

export interface LostHold {
  readonly queue: string
  readonly version: BrokerVersion
  /** What closed the channel, if that is known. */
  readonly cause: unknown
  /** The broker ended the consumer of a queue that is still there. */
  readonly isCancelled: boolean
}

/** Why messages that were held went back by themselves, and whether it helps to do it again. */
export function describeLostHold({ queue, version, cause, isCancelled }: LostHold): RecoveryError {
  const { consumerTimeout, hasConsumerTimeoutPolicy } = brokerCapabilities(version)
  const options = cause === undefined ? {} : { cause }
  // Of a quorum queue that is there nothing else ends a consumer.
  const isTimedOut = isAckTimeout(cause) || (isCancelled && consumerTimeout === 'cancels-quorum-consumer')
  if (!isTimedOut) {
    return new RecoveryError(
      {
        code: 'RECOVERY_INTERRUPTED',
        message: `The connection was lost while messages of "${queue}" were held. The messages that were not acknowledged are back in the queue. Run it again.`,
      },
      options,
    )
  }
  const policy = hasConsumerTimeoutPolicy ? 'by a policy for this queue (consumer-timeout), or ' : ''
  return new RecoveryError(
    {
      code: 'RECOVERY_HELD_TOO_LONG',
      message:
        `RabbitMQ took back the messages of "${queue}" that were held, because they were not acknowledged ` +
        `${timeoutOf(cause)}. They are back in the queue, and another run would end the same way. ` +
        `Raise that time ${policy}in rabbitmq.conf (consumer_timeout); or take fewer messages at a time; or set how long they ` +
        'may be held (--hold, hold), and they go back in time.',
    },
    options,
  )
}

/** Up to 4.2 the broker says how long it has waited. */
function timeoutOf(cause: unknown): string {
  const [, ms] = (cause instanceof ChannelError && cause.replyText?.match(/(\d+) ms/)) || []
  return ms === undefined ? 'in time' : `within ${ms} ms`
}
