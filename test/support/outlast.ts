import { setTimeout as sleep } from 'node:timers/promises'

const sliceMs = 50

/**
 * What `work` gives, or `too late` where it takes so long. The time passes only as fast as this process turns: however
 * busy the machine is, whatever is due here earlier has had many turns before the time is over.
 */
export async function outlast<Result>(work: Promise<Result>, withinMs: number): Promise<Result | 'too late'> {
  const ending = new AbortController()
  try {
    return await Promise.race([work, passTurns(withinMs, ending.signal)])
  } finally {
    ending.abort()
  }
}

async function passTurns(withinMs: number, signal: AbortSignal): Promise<'too late'> {
  for (let passedMs = 0; passedMs < withinMs && !signal.aborted; passedMs += sliceMs) await sleep(sliceMs)
  return 'too late'
}
