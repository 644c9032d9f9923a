import { pause } from '../../broker/amqp/pause.ts'
import { longestTimerMs } from '../../clock.ts'
import { joinSignals } from '../../join-signals.ts'
import { isConnectionLost } from '../look/is-connection-lost.ts'

/** An answer that is in flight when the time is over may take this long. */
const graceMs = 2_000
const mostTries = 10
const retryMs = 100

/**
 * The answer to a question that only counts. It is asked again on the next connection, which a session opens by
 * itself; `away` if there is no answer when the time is over.
 */
export async function answerInTime<Answer>(
  ending: AbortSignal,
  ask: () => Promise<Answer>,
): Promise<Answer | 'away'> {
  return untilAway(overLostConnections(ending, ask), { ending, graceMs })
}

/** The result of work; `away` if it is not done this long after the time is over. Then nobody waits for it any longer. */
export async function untilAway<Value>(
  work: Promise<Value>,
  { ending, graceMs }: { readonly ending: AbortSignal; readonly graceMs: number },
): Promise<Value | 'away'> {
  const isDone = new AbortController()
  const done = work.finally(() => isDone.abort())
  done.catch(() => {}) // it may fail when nobody waits for it any longer
  const either = joinSignals([ending, isDone.signal])
  const over = pause(longestTimerMs, either.signal).finally(either.release)
  // What was done in the last moment is done.
  const away = over
    .then(() => pause(graceMs, isDone.signal))
    .then<Value | 'away'>(() => (isDone.signal.aborted ? done : 'away'))
  return Promise.race([done, away])
}

async function overLostConnections<Answer>(
  ending: AbortSignal,
  ask: () => Promise<Answer>,
): Promise<Answer | 'away'> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask()
    } catch (error) {
      if (!isConnectionLost(error)) throw error
      if (ending.aborted) return 'away'
      if (tries >= mostTries) throw error
      await pause(retryMs, ending)
    }
  }
}
