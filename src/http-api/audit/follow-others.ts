import type { Session } from '../../broker/amqp/session.ts'
import { followStream } from '../follow-stream.ts'
import { isAuditRecord, type SeenRecord } from './audit-record.ts'

export interface OtherWriters {
  /** The newest record of another writer that has come by. */
  newest(): SeenRecord | undefined
  close(): Promise<void>
}

/** A writer that has nothing to read yet is not kept waiting by it for longer. */
const firstReadMs = 250

/**
 * Reads what others write, so that each record can name one of theirs. Without it a writer's chain could be taken
 * out as a whole, or moved, and nobody would miss it.
 */
export async function followOthers(
  session: Session,
  stream: string,
  writer: () => string | undefined,
): Promise<OtherWriters> {
  let newest: SeenRecord | undefined
  let onFirst = (): void => {}
  const isRead = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, firstReadMs) // the stream may be empty, and a broker tells that late
    onFirst = () => {
      clearTimeout(timer)
      resolve()
    }
  })
  const follower = followStream({
    ...{ session, stream, from: 'last' },
    onEntry: ({ offset, value }) => {
      if (isAuditRecord(value) && value.writer !== writer()) newest = { hash: value.hash, offset }
      onFirst()
    },
  })
  await isRead
  return { newest: () => newest, close: () => follower.close() }
}
