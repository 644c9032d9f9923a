import { parseDuration } from '../../message/duration.ts'
import { headerInteger } from '../../message/header-values.ts'
import type { PlainField } from '../../wire/plain-fields.ts'
import type { StreamOffset } from '../consumer-options.ts'
import type { DeliveryResult } from './delivery-result.ts'
import type { Run } from './run.ts'

/**
 * Where a stream is read from when it is subscribed to once more. A stream keeps no record of what its consumers have
 * handled, and takes even a message that is given back for done.
 */
export interface StreamPosition {
  /** What the next subscription asks for. */
  offset(): PlainField | undefined
  received(run: Run): void
  ended(run: Run, result: DeliveryResult): void
  /** The channel is gone, and whatever was not handled is to come again. */
  lost(): void
}

export function createStreamPosition(start: StreamOffset | undefined): StreamPosition {
  const open = new Set<number>()
  let next: number | undefined

  return {
    offset() {
      const behind = Math.min(next ?? Number.POSITIVE_INFINITY, ...open)
      return Number.isFinite(behind) ? behind : offsetOf(start)
    },
    received: (run) => {
      const offset = offsetIn(run)
      if (offset === undefined) return
      open.add(offset)
      next = Math.max(next ?? 0, offset + 1)
    },
    ended: (run, result) => {
      const isDone =
        result.kind === 'settled' ? result.isAcknowledged : result.kind === 'stale' && result.isDone
      const offset = isDone ? offsetIn(run) : undefined
      if (offset !== undefined) open.delete(offset)
    },
    lost: () => {
      if (open.size > 0) next = Math.min(...open)
      open.clear()
    },
  }
}

function offsetIn({ headers }: Run): number | undefined {
  return headerInteger(headers, 'x-stream-offset')
}

const words: readonly unknown[] = ['first', 'last', 'next']

/** RabbitMQ takes a number for an offset, a timestamp for a time, and text for words and for intervals of one unit. */
function offsetOf(start: StreamOffset | undefined): PlainField | undefined {
  if (typeof start !== 'string' || words.includes(start)) return start
  return `${Math.ceil(parseDuration(start) / 1000)}s`
}
