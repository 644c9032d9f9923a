/**
 * Lets one run be alone in its process, whichever consumers the others belong to: whatever ends a process ends them
 * all, and nobody could say which of them did it.
 */
export interface Solitude {
  /** Makes a consumer known. `wake` is called when it may be able to start something again. */
  join(wake: () => void): Company
}

/** What one consumer has to do with the others of its process. */
export interface Company {
  /** May it start a run? Not while another one is alone, or waits to be. */
  isFree(): boolean
  /** Nothing runs in the process. */
  isQuiet(): boolean
  began(): void
  ended(): void
  /** Asks to be alone: nothing else starts from now on, unless another run asked before. */
  claim(): void
  /** Others continue. */
  release(): void
  /** It closes, and what still runs in it is not waited for. */
  leave(): void
}

export function createSolitude(): Solitude {
  const wakes = new Set<() => void>()
  let running = 0
  let claimant: (() => void) | undefined

  function join(wake: () => void): Company {
    let own = 0
    wakes.add(wake)

    function release(): void {
      if (claimant !== wake) return
      claimant = undefined
      for (const each of wakes) if (each !== wake) each()
    }

    return {
      isFree() {
        return claimant === undefined || claimant === wake
      },
      isQuiet() {
        return running === 0
      },
      began: () => {
        running += 1
        own += 1
      },
      ended: () => {
        if (own === 0) return // it left before
        running -= 1
        own -= 1
        if (running === 0 && claimant !== undefined && claimant !== wake) claimant()
      },
      claim: () => {
        claimant ??= wake
      },
      release,
      leave: () => {
        wakes.delete(wake)
        running -= own
        own = 0
        release()
        if (running === 0) claimant?.()
      },
    }
  }

  return { join }
}

/** That of this process. */
export const processSolitude: Solitude = createSolitude()
