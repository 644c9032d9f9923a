import { type AmqpChannel, ApiError, type Delivery, type Session, toFieldTable } from 'warrenmq/operations'
import { readEntry, type StreamEntry } from '../records/follow-stream.ts'
import type { RecordSeals } from '../records/record-seals.ts'

export interface StreamRange {
  readonly stream: string
  readonly from: number
  /** Included; there is a record here or behind it. */
  readonly to: number
  /** Judges who wrote a record; without it nothing is proved. */
  readonly seals?: RecordSeals | undefined
  /** How long the broker may be silent before the range is given up, whatever it was asked. @default 10 s */
  readonly mostSilentMs?: number
}

const usualSilentMs = 10_000
const mostAtOnce = 500

/** What stands between two places of a stream, in its order. What the broker has cut off is missing at the beginning. */
export async function readRange(session: Session, range: StreamRange): Promise<readonly StreamEntry[]> {
  const entries: StreamEntry[] = []
  await walkRange(session, range, (entry) => {
    entries.push(entry)
    return undefined
  })
  return entries
}

/** The first offset that a stream still has. The stream must not be empty. */
export async function readOldest(session: Session, stream: string): Promise<number> {
  let oldest = 0
  await consumeFrom(session, { stream, start: 'first', most: 1 }, ({ offset }) => {
    oldest = offset
    return 'stop'
  })
  return oldest
}

/** Tells what stands between two places, one by one, until there is no more or it is told to stop. */
export async function walkRange(
  session: Session,
  { stream, from, to, seals, mostSilentMs }: StreamRange,
  onEntry: (entry: StreamEntry) => 'stop' | undefined,
): Promise<void> {
  if (to < from) return
  // No more than asked for is on its way at any time: the broker goes on to the end of the stream else.
  const most = Math.min(mostAtOnce, to - from + 1)
  await consumeFrom(session, { stream, start: from, most, seals, mostSilentMs }, (entry) => {
    // A stream is read by chunks, so the first records may be older than those asked for.
    const isWithin = entry.offset >= from && entry.offset <= to
    const answer = isWithin ? onEntry(entry) : undefined
    // Offsets have gaps, so there may be none that is the last one itself.
    return entry.offset >= to ? 'stop' : answer
  })
}

interface Start {
  readonly stream: string
  readonly start: number | 'first'
  /** Records on their way at any time. */
  readonly most: number
  readonly seals?: RecordSeals | undefined
  readonly mostSilentMs?: number | undefined
}

async function consumeFrom(
  session: Session,
  { stream, start, most, seals, mostSilentMs = usualSilentMs }: Start,
  onEntry: (entry: StreamEntry) => 'stop' | undefined,
): Promise<void> {
  const channel = await openInTime(session, { most, mostSilentMs })
  try {
    await new Promise<void>((resolve, reject) => {
      const giveUp = (): void => reject(silent())
      let timer = setTimeout(giveUp, mostSilentMs)
      let isOver = false
      channel.events.on('closed', ({ error }) => {
        clearTimeout(timer)
        reject(error ?? silent())
      })
      const onDelivery = (delivery: Delivery): void => {
        if (isOver) return
        clearTimeout(timer)
        if (onEntry(readEntry(delivery, seals)) === 'stop') {
          isOver = true
          resolve()
          return
        }
        channel.ack(delivery.deliveryTag)
        timer = setTimeout(giveUp, mostSilentMs)
      }
      const args = toFieldTable({ 'x-stream-offset': start })
      channel.consume(stream, onDelivery, { arguments: args }).catch(reject)
    })
  } finally {
    void channel.close() // a broker that is silent does not answer this either
  }
}

/** A connection to a broker that stands still is lost only after a minute, when it has missed its heartbeats. */
async function openInTime(
  session: Session,
  { most, mostSilentMs }: { readonly most: number; readonly mostSilentMs: number },
): Promise<AmqpChannel> {
  let isLate = false
  const open = async (): Promise<AmqpChannel> => {
    const channel = await session.openChannel()
    if (!isLate) await channel.setPrefetch(most)
    if (isLate) void channel.close() // nobody waits for it any more
    return channel
  }
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      isLate = true
      reject(silent())
    }, mostSilentMs)
  })
  try {
    return await Promise.race([open(), late])
  } finally {
    clearTimeout(timer)
  }
}

function silent(): ApiError {
  return new ApiError({
    code: 'AUDIT_UNAVAILABLE',
    message: 'The audit log cannot be read right now. Try again.',
  })
}
