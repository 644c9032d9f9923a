import type { PlainTable } from 'warrenmq'
import {
  type Delivery,
  declareQueue,
  headerInteger,
  headerText,
  joinBody,
  readProperty,
  type Session,
  toFieldTable,
} from 'warrenmq/operations'
import { type Proof, type RecordSeals, sealHeader } from './record-seals.ts'

/** One record of a stream. */
export interface StreamEntry {
  readonly offset: number
  /** Undefined for what is not JSON. */
  readonly value: unknown
  readonly proof: Proof
}

export interface StreamTask {
  readonly session: Session
  readonly stream: string
  /** `last` begins with what was written last, a handful of records. */
  readonly from: 'first' | 'last'
  /** Judges who wrote a record; without it nothing is proved. */
  readonly seals?: Pick<RecordSeals, 'judge'> | undefined
  readonly onEntry: (entry: StreamEntry) => void
}

/** Makes the stream if it is missing. One that is there with other settings is refused by the broker. */
export async function declareStream(
  session: Session,
  stream: string,
  limits: PlainTable = {},
): Promise<void> {
  const channel = await session.openChannel()
  await declareQueue(channel, {
    queue: stream,
    arguments: toFieldTable({ 'x-queue-type': 'stream', ...limits }),
  })
  await channel.close()
}

/** Tells every record of a stream once and in order, over as many connections as it takes. */
export function followStream({ session, stream, from, seals, onEntry }: StreamTask): {
  readonly close: () => Promise<void>
} {
  let last: number | undefined
  return session.superviseChannel(`stream ${stream}`, async (channel) => {
    await channel.setPrefetch(500)
    const onDelivery = (delivery: Delivery): void => {
      channel.ack(delivery.deliveryTag)
      const entry = readEntry(delivery, seals)
      // A stream is read by chunks, so the first records may be older than those asked for.
      if (last !== undefined && entry.offset <= last) return
      last = entry.offset
      onEntry(entry)
    }
    const start = last === undefined ? from : last + 1
    await channel.consume(stream, onDelivery, { arguments: toFieldTable({ 'x-stream-offset': start }) })
  })
}

export function readEntry(
  { properties, body }: Delivery,
  seals?: Pick<RecordSeals, 'judge'> | undefined,
): StreamEntry {
  const headers = readProperty(properties, 'headers')
  const bytes = joinBody(body)
  const seal = headerText(headers, sealHeader)
  return {
    offset: headerInteger(headers, 'x-stream-offset') ?? 0,
    value: readJson(bytes),
    proof: seals?.judge(seal, bytes) ?? unproved(seal),
  }
}

/** Who has no key cannot tell whose a seal is. */
function unproved(seal: string | undefined): Proof {
  return seal === undefined ? { kind: 'unsigned' } : { kind: 'not-ours', key: undefined }
}

/** None of ours comes near it, and to read a hundred megabytes of somebody else's would keep everybody waiting. */
const mostBytes = 4 * 1024 * 1024

function readJson(body: Buffer): unknown {
  if (body.length > mostBytes) return undefined
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}
