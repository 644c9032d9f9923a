import { ChannelError } from '../../errors.ts'
import { largestTaken } from '../../publisher/largest-taken.ts'
import type { PublishResult } from '../../publisher/publish-result.ts'

/** `unroutable`: no queue took it; `refused`: a queue rejected it; `unanswered`: the broker did not answer. */
export type FailureKind = 'unroutable' | 'refused' | 'unanswered'

/** Why a message was not taken by its target. */
export interface FailedPublish {
  /** Where it was sent; empty for the default exchange. */
  readonly exchange: string
  /** The key it was sent with. */
  readonly key: string
  /** What happened to the publish. */
  readonly kind: FailureKind
  /** The broker closed the channel because of this message or of one that was in flight with it. */
  readonly closedChannel: boolean
  /** The largest body that the broker accepts, if it closed the channel for a larger one. */
  readonly largestBytes?: number | undefined
  /** What the broker said when it closed the channel. */
  readonly problem?: string | undefined
}

type Unconfirmed = Exclude<PublishResult, { kind: 'confirmed' }>

export function describeFailure(
  { exchange, key }: { readonly exchange: string; readonly key: string },
  result: Unconfirmed,
): FailedPublish {
  return {
    exchange,
    key,
    kind: failureOf(result),
    closedChannel: closesChannel(result),
    largestBytes: largestTaken(result),
    problem: problemOf(result),
  }
}

/** What a result that is not a confirm means. */
function failureOf(result: Unconfirmed): FailureKind {
  if (result.kind === 'returned') return 'unroutable'
  return result.kind === 'nacked' ? 'refused' : 'unanswered'
}

/** Why the broker closed the channel, in its words, if that is why there was no answer. */
function problemOf(result: PublishResult): string | undefined {
  const { cause } = result.kind === 'unknown' ? result : {}
  return cause instanceof ChannelError && cause.replyCode !== undefined ? cause.message : undefined
}

const preconditionFailed = 406

/** Whether a message itself was too much for the broker, e.g. by its size; it closes the channel then. */
function closesChannel(result: PublishResult): boolean {
  const { cause } = result.kind === 'unknown' ? result : {}
  return cause instanceof ChannelError && cause.replyCode === preconditionFailed
}
