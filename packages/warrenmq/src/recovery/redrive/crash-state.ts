/**
 * What a lost connection may have undone. An ack is known once the broker has answered something behind it, and yet it
 * may not be on disk, or on the other nodes, for a moment: such an ack is lost with a node that dies then. And a busy
 * channel of a quorum queue keeps some back, which are lost with the channel. Their messages are in the queue again.
 */
export interface CrashState {
  /** Moved as of two moments, one a while after the other: what was moved later is recent. */
  readonly newer: number
  readonly older: number
  readonly agedMs: number
  /** Moves that were recent when the connection was lost. */
  readonly atRisk: number
  /** Of those, this many may be undone. */
  readonly undoable: number
  /** A consumer of ours was on the connection that was lost. */
  readonly hadConsumer: boolean
  /** Consumers of ours that the queue may still count, because it waits for their node. */
  readonly ghosts: number
}

/** How the broker was found again. `moved`: at another node. */
export type Reconnection = 'at-once' | 'after-a-while' | 'moved'

/** A classic queue writes its acks within a fraction of a second. */
const recentMs = 2_000

export const noCrash: CrashState = {
  newer: 0,
  older: 0,
  agedMs: 0,
  atRisk: 0,
  undoable: 0,
  hadConsumer: false,
  ghosts: 0,
}

/** Time passes on a connection that works. */
export function ageAcks(crash: CrashState, { ms, moved }: { ms: number; moved: number }): CrashState {
  const agedMs = crash.agedMs + ms
  if (agedMs < recentMs) return { ...crash, agedMs }
  return { ...crash, agedMs: 0, newer: moved, older: crash.newer }
}

export function loseContact(crash: CrashState, moved: number): CrashState {
  return { ...crash, atRisk: Math.max(crash.atRisk, moved - crash.older) }
}

/** A broker that answers immediately after a cut has not crashed: only what its channel kept back is undone. */
export function regainContact(
  crash: CrashState,
  { reconnection, window }: { readonly reconnection: Reconnection; readonly window: number },
): CrashState {
  const { atRisk, undoable, hadConsumer, ghosts } = crash
  return {
    ...crash,
    atRisk: 0,
    undoable: undoable + (reconnection === 'at-once' ? Math.min(atRisk, window) : atRisk),
    hadConsumer: false,
    ghosts: reconnection === 'moved' && hadConsumer ? ghosts + 1 : ghosts,
  }
}
