import { decideNextTurn, type Looker, type QueueTurn } from './queue-turn.ts'

/**
 * Lets one piece of work at a time have a queue. The lock of recovery/ is one of connections, and all work of
 * this server shares one: among ourselves we have to wait our turn.
 */
export interface QueueTurns {
  take<Result>(queue: string, work: () => Promise<Result>): Promise<Result>
  /** The same for a look, of which only a few run at once. One that is called off while it waits never begins. */
  look<Result>(look: LookTurn, work: () => Promise<Result>): Promise<Result>
}

export interface LookTurn {
  readonly queue: string
  readonly looker: Looker
  readonly signal?: AbortSignal | undefined
}

interface Waiting extends QueueTurn {
  readonly begin: () => void
}

export function createQueueTurns(): QueueTurns {
  const running = new Set<QueueTurn>()
  const waiting = new Set<Waiting>()

  function beginNext(): void {
    for (;;) {
      const next = decideNextTurn([...running], [...waiting])
      if (!next) return
      waiting.delete(next)
      running.add(next)
      next.begin()
    }
  }

  function whenNext(turn: QueueTurn, signal: AbortSignal | undefined): Promise<QueueTurn> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        waiting.delete(entry)
        reject(signal?.reason)
        beginNext()
      }
      const begin = (): void => {
        signal?.removeEventListener('abort', giveUp)
        resolve(entry)
      }
      const entry: Waiting = { ...turn, begin }
      signal?.addEventListener('abort', giveUp, { once: true })
      waiting.add(entry)
      beginNext()
    })
  }

  async function run<Result>(
    turn: QueueTurn,
    work: () => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    signal?.throwIfAborted()
    const entry = await whenNext(turn, signal)
    try {
      return await work()
    } finally {
      running.delete(entry)
      beginNext()
    }
  }

  return {
    take: (queue, work) => run({ queue, looker: undefined }, work),
    look: ({ queue, looker, signal }, work) => run({ queue, looker }, work, signal),
  }
}
