import { ChannelError } from '../errors.ts'
import type { PublishResult } from './publish-result.ts'

/**
 * The largest body that the broker takes, in bytes, where it closed the channel because one was larger. All that was
 * under way on the channel has this result, so the size of a message tells whether it was the one.
 */
export function largestTaken(result: PublishResult): number | undefined {
  if (result.kind !== 'unknown' || !(result.cause instanceof ChannelError)) return undefined
  const [, bytes] =
    /message size \d+ is larger than .*max size (\d+)/.exec(result.cause.replyText ?? '') ?? []
  return bytes === undefined ? undefined : Number(bytes)
}
