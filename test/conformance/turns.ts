import { setTimeout as sleep } from 'node:timers/promises'

/** A limited number of programs are at work at once; any number may wait for an expiry meanwhile. */
export interface Turns {
  take(): Promise<void>
  give(): void
  /** Lets others work for that long. Whoever comes back goes first, since its messages expire on time. */
  pause(ms: number): Promise<void>
}

export function createTurns(size: number): Turns {
  const newcomers: (() => void)[] = []
  const returning: (() => void)[] = []
  let free = size

  function queueUp(line: (() => void)[]): Promise<void> {
    if (free > 0) {
      free -= 1
      return Promise.resolve()
    }
    return new Promise((resolve) => {
      line.push(resolve)
    })
  }

  function give(): void {
    const next = returning.shift() ?? newcomers.shift()
    if (next) next()
    else free += 1
  }

  return {
    take: () => queueUp(newcomers),
    give,
    pause: async (ms) => {
      give()
      await sleep(ms)
      await queueUp(returning)
    },
  }
}
