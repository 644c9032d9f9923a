import { EventEmitter, once } from 'node:events'
import { type Clock, steadyClock } from 'warrenmq/operations'

/** Who takes part in something that there is only so much of, and the shares that all of them have at most. */
export interface Asker {
  readonly name: string
  readonly most: number
}

export interface Slot {
  /** Counts it as one of somebody else, too; false where they have as many as they may. */
  holdFor(asker: Asker): boolean
  /** Once or more often, which is the same. */
  giveBack(): void
}

/** The requests that are answered at once. */
export interface RequestSlots {
  readonly most: number
  readonly taken: number
  /** Undefined where all are taken, or one of those who ask has as many as they may. */
  take(askers: readonly Asker[]): Slot | undefined
  /** All are taken, and none has come back for a while: who asks is not served, whenever they ask. */
  readonly isStuck: boolean
  /** Resolves when no request is under way, or when that takes too long. */
  whenIdle(mostMs: number): Promise<void>
}

/** A busy server gives slots back all the time. */
const stuckAfterMs = 5_000

export function createRequestSlots(most: number, clock: Clock = steadyClock): RequestSlots {
  const countOf = new Map<string, number>()
  const idle = new EventEmitter()
  let taken = 0
  let movedAtMs = clock.now()

  const hasRoom = (asker: Asker): boolean => (countOf.get(asker.name) ?? 0) < asker.most

  function count(name: string, change: 1 | -1): void {
    const left = (countOf.get(name) ?? 0) + change
    if (left === 0) countOf.delete(name)
    else countOf.set(name, left)
  }

  function open(askers: readonly Asker[]): Slot {
    const names = askers.map(({ name }) => name)
    let isTaken = true
    taken += 1
    movedAtMs = clock.now()
    for (const name of names) count(name, 1)
    return {
      holdFor: (asker) => {
        if (!isTaken) return true
        if (!hasRoom(asker)) return false
        names.push(asker.name)
        count(asker.name, 1)
        return true
      },
      giveBack: () => {
        if (!isTaken) return
        isTaken = false
        taken -= 1
        movedAtMs = clock.now()
        for (const name of names) count(name, -1)
        if (taken === 0) idle.emit('idle')
      },
    }
  }

  return {
    most,
    get taken() {
      return taken
    },
    take: (askers) => (taken < most && askers.every(hasRoom) ? open(askers) : undefined),
    get isStuck() {
      return taken >= most && clock.now() - movedAtMs >= stuckAfterMs
    },
    whenIdle: async (mostMs) => {
      if (taken === 0) return
      const soon = { signal: AbortSignal.timeout(mostMs) }
      await once(idle, 'idle', soon).catch(() => undefined) // it took too long, which is an answer as well
    },
  }
}
