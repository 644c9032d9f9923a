import { type DedupeStore, memoryDedupeStore } from '../../packages/warrenmq/src/index.ts'
import { sleep } from '../../packages/warrenmq/src/world.ts'
import type { Universe } from '../world/universe.ts'

/** A store that outlives the processes that use it, as a Redis does: each way takes its time. */
export interface SharedStore extends DedupeStore {
  /** How often a process heard that a message is done. */
  skippedBy(process: string): number
}

export function createSharedStore({ loop }: Universe): SharedStore {
  const clock = { now: () => loop.nowMs, schedule: () => () => undefined }
  const kept = memoryDedupeStore({ clock })
  const skipped = new Map<string, number>()
  return {
    begin: async (key, leaseMs) => {
      const { name } = loop.current
      await sleep(1)
      const claim = await kept.begin(key, leaseMs)
      if (claim === 'done') skipped.set(name, (skipped.get(name) ?? 0) + 1)
      await sleep(1)
      return claim
    },
    finish: async (claim, keepMs) => {
      await sleep(1)
      return kept.finish(claim, keepMs)
    },
    release: async (claim) => {
      await sleep(1)
      await kept.release(claim)
    },
    skippedBy: (process) => skipped.get(process) ?? 0,
  }
}
