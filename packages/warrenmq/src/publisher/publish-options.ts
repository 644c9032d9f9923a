import { InvalidArgumentError } from '../errors.ts'
import { type Duration, readDuration } from '../message/duration.ts'
import { refuseUnknown } from '../message/refuse-unknown.ts'
import { dateNow } from '../world.ts'

/** How long one publish may take. */
export interface PublishOptions {
  /**
   * Aborts the publish. A message that was not sent by then is no longer sent; one that was sent is `unknown`, because the
   * broker may have it.
   * @example { signal: AbortSignal.timeout(2_000) }
   */
  readonly signal?: AbortSignal | undefined
  /**
   * After this long without an answer it is `unknown`. @default the publisher's, which is also the longest
   * @example { deadline: '5s' }
   */
  readonly deadline?: Duration | undefined
}

/** When a publish is given up, beside the deadline of its publisher. */
export interface PublishLimits {
  readonly signal: AbortSignal | undefined
  readonly endsAtMs: number | undefined
}

/** Undefined where there are none, which is how most messages are published. */
export function readPublishOptions(options: PublishOptions | undefined): PublishLimits | undefined {
  if (options === undefined) return undefined
  refuseUnknown('publish()', options, { signal: true, deadline: true })
  const { signal, deadline } = options
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw new InvalidArgumentError(`signal is ${String(signal)}; it must be an AbortSignal.`)
  return { signal, endsAtMs: deadline === undefined ? undefined : dateNow() + deadlineOf(deadline) }
}

function deadlineOf(deadline: Duration): number {
  const reading = readDuration(deadline)
  if (reading.isValid && reading.milliseconds > 0) return reading.milliseconds
  throw new InvalidArgumentError(
    `deadline is ${String(deadline)}; it must be a duration above 0, such as '5s'.`,
  )
}
