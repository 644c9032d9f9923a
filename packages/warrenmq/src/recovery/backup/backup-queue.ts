import type { IncomingMessage } from '../../broker/amqp/message.ts'
import type { Session } from '../../broker/amqp/session.ts'
import { joinSignals } from '../../join-signals.ts'
import { dateNow, randomUUID } from '../../world.ts'
import { type HoldReport, holdMessages } from '../look/hold-messages.ts'
import { type LookPermission, prepareLook } from '../look/prepare-look.ts'
import type { BackupHeader, BackupSeal } from './backup-record.ts'
import { BackupWriter } from './backup-writer.ts'
import { verifyBackup } from './verify-backup.ts'

/** What to back up, and into which file. */
export interface BackupOptions extends LookPermission {
  /**
   * The file to write. If it was interrupted, the backup continues it.
   * @example { file: 'orders.backup' }
   */
  readonly file: string
  /**
   * Who does it; the file says so.
   * @example { by: 'anna' }
   */
  readonly by: string
  /**
   * Which messages. @default all
   * @example { select: ({ bodyBytes }) => bodyBytes > 0 }
   */
  readonly select?: (message: IncomingMessage) => boolean
  /**
   * Ends the backup; the same file continues it.
   * @example { signal: AbortSignal.timeout(60_000) }
   */
  readonly signal?: AbortSignal
}

/** What a backup wrote. */
export interface BackupReport extends Pick<HoldReport, 'present' | 'seen' | 'refreshed'> {
  /** The file it wrote to. */
  readonly file: string
  /** The id of the backup, which its file begins with. */
  readonly id: string
  /** Messages in the file. */
  readonly records: number
  /** Of these, this many were in the file already. */
  readonly resumed: number
  /** Undefined: not every message was seen, so the file is not complete. Run it again to continue. */
  readonly seal: BackupSeal | undefined
}

/**
 * Writes the messages of a queue to a file and leaves them where they are.
 * @example
 * ```ts
 * const { records } = await backUpQueue({ ...broker, queue: 'orders.dlq', file: 'orders.backup', by: 'ann' })
 * ```
 */
export async function backUpQueue(options: BackupOptions): Promise<BackupReport> {
  const { file, select = () => true, signal, ...task } = options
  await prepareLook(options) // a queue that is refused leaves no file behind
  const writer = await BackupWriter.open(file, headerFor(options, 'backup'))
  // If the file cannot be written, the pass ends immediately; it would only hold messages that go nowhere.
  const stopping = joinSignals([signal, writer.failing])
  try {
    let seal: BackupSeal | undefined
    const { present, seen, refreshed } = await holdMessages({
      ...task,
      purpose: 'a backup',
      sink: writer,
      signal: stopping.signal,
      onMessage: (delivery) => {
        if (select(delivery)) writer.add(delivery)
        return undefined
      },
      whileHeld: async ({ end }) => {
        if (end === 'all-seen' || end === 'emptied') seal = await writer.seal(new Date(dateNow()))
        else await writer.settle()
        return 0
      },
    })
    if (seal) await verifyBackup(file)
    const counts = { present, seen, refreshed, records: writer.recordCount, resumed: writer.resumed }
    return { file, id: writer.header.id, ...counts, seal }
  } finally {
    stopping.release()
    await writer.close()
  }
}

export function headerFor(
  { queue, by, consuming }: { queue: string; by: string; consuming: Session },
  purpose: BackupHeader['purpose'],
): BackupHeader {
  return {
    format: 'warren-backup/2',
    id: randomUUID(),
    purpose,
    queue,
    vhost: consuming.vhost,
    by,
    brokerVersion: consuming.broker.version,
    startedAt: new Date(dateNow()).toISOString(),
  }
}
