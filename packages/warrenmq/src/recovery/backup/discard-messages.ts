import { joinSignals } from '../../join-signals.ts'
import { type HoldReport, holdMessages } from '../look/hold-messages.ts'
import { prepareLook } from '../look/prepare-look.ts'
import { type BackupOptions, headerFor } from './backup-queue.ts'
import { BackupWriter } from './backup-writer.ts'
import type { RemovalCounts } from './decide-removal.ts'
import { Removing } from './removing.ts'

/** What to remove, and the file that keeps it. */
export interface DiscardOptions extends BackupOptions {
  /**
   * The most messages to remove, with those that earlier runs into the same file have or may have removed.
   * @example { limit: 10 }
   */
  readonly limit?: number
  /**
   * Called before the first message is acknowledged: from then on the file may hold the only copy of one.
   * @example { onFirstRemoval: () => console.log('keep the file') }
   */
  readonly onFirstRemoval?: () => void
}

/** What a discard removed. */
export interface DiscardReport {
  /** The backup of what was removed. */
  readonly file: string
  /** Messages in the queue at the start. */
  readonly present: number
  /** In the file, and gone from the queue. */
  readonly removed: number
  /**
   * A crash of RabbitMQ (no clean stop) can bring back this many of them, because a classic queue answers for acks
   * before they are on its disk. Always 0 for a quorum queue.
   */
  readonly mayComeBack: number
  /** Removed by earlier runs into the same file, or in doubt since then. */
  readonly before: Pick<RemovalCounts, 'removed' | 'inDoubt'>
  /** Ready in the queue afterwards. */
  readonly left: number
  /** All that were to be removed are, and the file says so. */
  readonly isDone: boolean
  /** False: messages had to go back before all were looked at. */
  readonly isWhole: boolean
}

/**
 * Removes messages from a queue, each of them into a backup. The file is written, synced and read back before
 * the first message is acknowledged, and it says which are acknowledged before they are: whatever happens in between
 * leaves a message in both, never in neither.
 * @example
 * ```ts
 * const report = await discardMessages({ ...broker, queue: 'orders.dlq', file: 'old.backup', by: 'ann', limit: 10 })
 * ```
 */
export async function discardMessages(options: DiscardOptions): Promise<DiscardReport> {
  await prepareLook(options) // a queue that is refused leaves no file behind
  const writer = await BackupWriter.open(options.file, headerFor(options, 'discard'))
  const removing = new Removing(writer, options.onFirstRemoval)
  try {
    const { present, depth, isWhole } = await removeHeld(options, { writer, removing })
    await removing.seal()
    const { removed, inDoubt } = writer.before
    const before = { removed, inDoubt }
    return {
      file: options.file,
      present,
      removed: removing.removed,
      mayComeBack: removing.mayComeBack,
      before,
      left: depth,
      isDone: removing.removed === removing.count,
      isWhole,
    }
  } catch (error) {
    throw await removing.end(error)
  } finally {
    await writer.close()
  }
}

async function removeHeld(
  {
    select = () => true,
    limit = Number.POSITIVE_INFINITY,
    file: _,
    onFirstRemoval: __,
    ...task
  }: DiscardOptions,
  { writer, removing }: { writer: BackupWriter; removing: Removing },
): Promise<HoldReport> {
  const most = limit - writer.before.removed - writer.before.inDoubt
  const stopping = joinSignals([task.signal, writer.failing])
  try {
    return await holdMessages({
      ...task,
      purpose: 'a discard',
      sink: writer,
      signal: stopping.signal,
      onMessage: (delivery) => {
        if (removing.count >= most || !select(delivery)) return undefined
        writer.add(delivery)
        removing.add(delivery.deliveryTag)
        return 'hold'
      },
      whileHeld: (held) => removing.removeAll(held),
    })
  } finally {
    stopping.release()
  }
}
