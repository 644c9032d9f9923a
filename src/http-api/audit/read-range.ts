import type { Delivery } from '../../broker/amqp/delivery.ts'
import type { Session } from '../../broker/amqp/session.ts'
import { ApiError } from '../../errors.ts'
import { toFieldTable } from '../../wire/plain-fields.ts'
import { readEntry, type StreamEntry } from '../follow-stream.ts'

export interface StreamRange {
  readonly stream: string
  readonly from: number
  /** Included; a record that is there, or was. */
  readonly to: number
}

/** How long the broker may be silent before the range is given up. */
const mostSilentMs = 10_000
const mostAtOnce = 500

/** What stands between two places of a stream, in its order. What the broker has cut off is missing at the beginning. */
export async function readRange(session: Session, range: StreamRange): Promise<readonly StreamEntry[]> {
  const { stream, from, to } = range
  if (to < from) return []
  const channel = await session.openChannel()
  const entries: StreamEntry[] = []
  // No more than asked for is on its way at any time: the broker goes on to the end of the stream else.
  await channel.setPrefetch(Math.min(mostAtOnce, to - from + 1))
  try {
    await new Promise<void>((resolve, reject) => {
      const giveUp = (): void => reject(silent())
      let timer = setTimeout(giveUp, mostSilentMs)
      channel.events.on('closed', ({ error }) => {
        clearTimeout(timer)
        reject(error ?? silent())
      })
      const onDelivery = (delivery: Delivery): void => {
        const entry = readEntry(delivery)
        clearTimeout(timer)
        // A stream is read by chunks, so the first records may be older than those asked for.
        if (entry.offset >= from && entry.offset <= to) entries.push(entry)
        if (entry.offset >= to) resolve()
        else {
          channel.ack(delivery.deliveryTag)
          timer = setTimeout(giveUp, mostSilentMs)
        }
      }
      const args = toFieldTable({ 'x-stream-offset': from })
      channel.consume(stream, onDelivery, { arguments: args }).catch(reject)
    })
  } finally {
    await channel.close()
  }
  return entries
}

function silent(): ApiError {
  return new ApiError({
    code: 'AUDIT_UNAVAILABLE',
    message: 'The audit log is not delivered. Try again.',
  })
}
