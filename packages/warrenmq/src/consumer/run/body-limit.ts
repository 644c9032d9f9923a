import { ConsumerError } from '../../errors.ts'

/**
 * The largest body that the broker accepts, as far as it has said so. A larger one makes it close the channel, with
 * all copies in flight on it, so such a body is sent once and never again.
 */
export interface BodyLimit {
  /** Undefined for a body that may be sent. */
  refuse(bodyBytes: number): ConsumerError | undefined
  learn(largestBytes: number): void
  /** The broker may be another one now, or have another limit. */
  forget(): void
}

export function createBodyLimit(): BodyLimit {
  let mostBytes = Number.POSITIVE_INFINITY
  return {
    refuse: (bodyBytes) => (bodyBytes > mostBytes ? tooLarge(bodyBytes, mostBytes) : undefined),
    learn: (largestBytes) => {
      mostBytes = largestBytes
    },
    forget: () => {
      mostBytes = Number.POSITIVE_INFINITY
    },
  }
}

function tooLarge(bodyBytes: number, mostBytes: number): ConsumerError {
  const message =
    `The body has ${bodyBytes} bytes, and the broker accepts ${mostBytes} at most, so the message cannot be copied. ` +
    "Raise the broker's max_message_size."
  return new ConsumerError({ code: 'MESSAGE_TOO_LARGE', message })
}
