import { hostname } from 'node:os'
import { ApiError, type Lock, RecoveryError, takeLock } from 'warrenmq/operations'
import type { ServerBroker } from '../server-broker.ts'

/**
 * Who writes or reads a kept backup, and who deletes it. A lock on the broker tells the servers that share a folder; it
 * is one of connections, and all work of this server has the same one, so among ourselves it is counted.
 */
export interface BackupLocks {
  /** Keeps the backup from being deleted meanwhile. */
  use<Result>(id: string, work: () => Promise<Result>): Promise<Result>
  /** Keeps it from everybody; throws where somebody uses it. */
  keepAlone<Result>(id: string, work: () => Promise<Result>): Promise<Result>
}

interface Holding {
  readonly lock: Promise<Lock>
  users: number
}

export function createBackupLocks(
  broker: Pick<ServerBroker, 'consuming' | 'management' | 'vhost'>,
): BackupLocks {
  const held = new Map<string, Holding | 'alone'>()

  const take = (id: string): Promise<Lock> =>
    takeLock({
      session: broker.consuming,
      management: broker.management,
      vhost: broker.vhost,
      queue: `backup ${id}`,
      holder: `warren serve on ${hostname()}`,
    }).catch((error: unknown) => {
      throw error instanceof RecoveryError && error.code === 'RECOVERY_LOCKED' ? inUse(id, error) : error
    })

  async function leave(id: string, holding: Holding): Promise<void> {
    holding.users -= 1
    if (holding.users > 0) return
    // Who took the lock before it is given back would lose it by that.
    held.set(id, 'alone')
    try {
      await (await holding.lock).release()
    } finally {
      held.delete(id)
    }
  }

  return {
    use: async (id, work) => {
      const known = held.get(id)
      if (known === 'alone') throw inUse(id)
      const holding = known ?? { lock: take(id), users: 0 }
      holding.users += 1
      held.set(id, holding)
      try {
        await holding.lock
      } catch (error) {
        if (held.get(id) === holding) held.delete(id)
        throw error
      }
      try {
        return await work()
      } finally {
        await leave(id, holding)
      }
    },
    keepAlone: async (id, work) => {
      if (held.has(id)) throw inUse(id)
      held.set(id, 'alone')
      try {
        const lock = await take(id)
        try {
          return await work()
        } finally {
          await lock.release()
        }
      } finally {
        held.delete(id)
      }
    },
  }
}

function inUse(id: string, cause?: unknown): ApiError {
  const message = `The backup ${id} is being written, restored or deleted right now. Try again when that is done.`
  return new ApiError({ code: 'API_BACKUP_IN_USE', message }, { cause })
}
