import { RecoveryError } from '../../errors.ts'
import { isConnectionLost, isQueueUnreachable } from '../look/is-connection-lost.ts'
import { countsOf } from '../look/settled-depth.ts'
import type { BackupSummary } from './backup-reading.ts'
import { countPresent } from './count-present.ts'
import { type BackupRun, decideFate, decideRemoval } from './decide-removal.ts'
import { identifyMessage } from './identify-message.ts'
import { readBackup } from './read-backup.ts'
import type { RestoreOptions } from './restore-options.ts'
import type { Lookalikes } from './return-watch.ts'

const nothing = { present: new Map<string, number>(), unseen: 0 }
const anything = { present: new Map<string, number>(), unseen: Number.POSITIVE_INFINITY }

/** Looks for what a crash of the broker can have brought back of what a discard removed: in its queue, and in its file. */
export async function findLookalikes(
  options: RestoreOptions & { readonly queue: string },
  { header, runs }: BackupSummary,
): Promise<Lookalikes> {
  const first = runs.find(isUndoneByCrash)
  if (first === undefined) return { ...nothing, removed: new Map() }
  const seen = await lookAtOrigin(options, header)
  const later = runs.filter(({ run }) => run > first.run)
  return { ...seen, removed: later.length > 0 ? await countRemoved(options.file, later) : new Map() }
}

function isUndoneByCrash(run: BackupRun): boolean {
  const { removed, survivesCrash } = decideRemoval(run)
  return removed > 0 && !survivesCrash
}

/** What came back is in the queue that it was removed from, wherever it is restored. */
async function lookAtOrigin(
  options: RestoreOptions & { readonly queue: string },
  { queue: origin, vhost }: BackupSummary['header'],
): Promise<Pick<Lookalikes, 'present' | 'unseen'>> {
  if (vhost !== options.consuming.vhost) return anything
  const counts = await countsOf(options.consuming, origin).catch(nobodyKnows)
  if (counts === 'gone') return nothing
  // What a consumer holds cannot be seen.
  if (counts === undefined || counts === 'locked' || counts.consumerCount > 0) return anything
  const isLocked = origin === options.queue
  const present = await countPresent({ ...options, queue: origin, isLocked }).catch(nobodyKnows)
  if (present === 'gone') return nothing
  if (present === 'locked') return anything
  return present ? { present, unseen: 0 } : { present: new Map(), unseen: counts.messageCount }
}

/** A queue that cannot be looked at does not prevent a restore; only the number of possible copies is higher. */
function nobodyKnows(error: unknown): 'gone' | 'locked' | undefined {
  const code = error instanceof RecoveryError ? error.code : undefined
  if (code === 'RECOVERY_QUEUE_NOT_FOUND') return 'gone'
  if (code === 'RECOVERY_LOCKED') return 'locked'
  if (isQueueUnreachable(error)) return undefined
  if (isConnectionLost(error) || code === 'RECOVERY_MOVED_ASIDE') throw error
  return undefined
}

async function countRemoved(
  file: string,
  runs: readonly BackupRun[],
): Promise<ReadonlyMap<number, ReadonlyMap<string, number>>> {
  const removals = new Map(runs.map((run) => [run.run, decideRemoval(run)]))
  const removed = new Map(runs.map(({ run }) => [run, new Map<string, number>()]))
  await readBackup(file, (line) => {
    if (line.kind !== 'record') return
    const { run, number } = line.record
    const removal = removals.get(run)
    if (!removal || decideFate(number, removal) === 'left') return
    const counts = removed.get(run)!
    const id = identifyMessage(line.record)
    counts.set(id, (counts.get(id) ?? 0) + 1)
  })
  return removed
}
