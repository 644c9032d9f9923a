import type { Session } from 'warrenmq/operations'
import { followStream } from '../records/follow-stream.ts'
import type { RecordSeals } from '../records/record-seals.ts'
import type { Strays } from '../records/strays.ts'
import { hashRecord, isAuditRecord, type SeenRecord } from './audit-record.ts'

export interface LogFollower {
  /** The newest record of another writer that has come by. */
  newestOfOthers(): SeenRecord | undefined
  /** The newest record of all that has come by. */
  newest(): SeenRecord | undefined
  /** The place of the newest entry of all, whatever it is; undefined where none has come by. */
  end(): number | undefined
  /** Where a record stands that this writer has just written; undefined where it did not come by in time. */
  locate(hash: string, timeoutMs: number): Promise<number | undefined>
  close(): Promise<void>
}

/** A writer that has nothing to read yet is not kept waiting by it for longer. */
const firstReadMs = 250
/** More than are written between the writing of a record and the question where it stands. */
const mostRemembered = 1_000

export interface FollowedLog {
  readonly session: Session
  readonly stream: string
  /** Where servers sign, what is not signed is none of theirs. */
  readonly seals: RecordSeals | undefined
  readonly strays: Pick<Strays, 'found'> | undefined
  /** Who writes here now. */
  readonly writer: () => string
}

/**
 * Reads what is written, so that each record can name one of another writer. Without it a writer's chain could be taken
 * out as a whole, or moved, and nobody would miss it. It also tells where the log ends, which RabbitMQ 4 tells late.
 */
export async function followLog({
  session,
  stream,
  seals,
  strays,
  writer,
}: FollowedLog): Promise<LogFollower> {
  let end: number | undefined
  let newest: SeenRecord | undefined
  let newestOfOthers: SeenRecord | undefined
  const own = createPlaces()
  let onFirst = (): void => {}
  const isRead = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, firstReadMs) // the stream may be empty, and a broker tells that late
    onFirst = () => {
      clearTimeout(timer)
      resolve()
    }
  })
  const follower = followStream({
    session,
    stream,
    from: 'last',
    seals,
    onEntry: ({ offset, value, proof }) => {
      end = offset
      const isOurs = !seals || proof.kind === 'signed'
      // To name one that says a hash which is not its own would make our record look forged.
      if (!isAuditRecord(value) || hashRecord(value) !== value.hash) strays?.found(stream, 'unreadable')
      else if (!isOurs) strays?.found(stream, proof.kind === 'unsigned' ? 'unsigned' : 'not-ours')
      else {
        newest = { hash: value.hash, offset }
        if (value.writer === writer()) own.put(value.hash, offset)
        else newestOfOthers = newest
      }
      onFirst()
    },
  })
  await isRead
  return {
    end: () => end,
    newest: () => newest,
    newestOfOthers: () => newestOfOthers,
    locate: own.whenPut,
    close: () => follower.close(),
  }
}

/** Remembers the newest of what it is given, and tells those who wait for one. */
function createPlaces() {
  const places = new Map<string, number>()
  const waiting = new Map<string, (offset: number) => void>()
  return {
    put: (hash: string, offset: number): void => {
      places.set(hash, offset)
      const [oldest] = places.keys()
      if (places.size > mostRemembered) places.delete(oldest!)
      waiting.get(hash)?.(offset)
    },
    whenPut: (hash: string, timeoutMs: number): Promise<number | undefined> => {
      const known = places.get(hash)
      if (known !== undefined) return Promise.resolve(known)
      return new Promise((resolve) => {
        const end = (offset: number | undefined): void => {
          clearTimeout(timer)
          waiting.delete(hash)
          resolve(offset)
        }
        const timer = setTimeout(() => end(undefined), timeoutMs)
        waiting.set(hash, end)
      })
    },
  }
}
