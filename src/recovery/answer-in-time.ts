import { pause } from '../broker/amqp/pause.ts'
import { longestTimerMs } from '../clock.ts'
import { joinSignals } from '../join-signals.ts'
import { isLineLost } from './is-line-lost.ts'

/** So long may an answer take that is under way when the time is over. */
const graceMs = 2_000
const mostTries = 10
const retryMs = 100

/**
 * What a question that only counts comes to. It is asked again on the next connection, which a session opens by
 * itself; `away` where there is no answer although the time is over.
 */
export async function answerInTime<Answer>(
  ending: AbortSignal,
  ask: () => Promise<Answer>,
): Promise<Answer | 'away'> {
  const isAnswered = new AbortController()
  const answer = overLostLines(ending, ask).finally(() => isAnswered.abort())
  answer.catch(() => {}) // it may fail when nobody waits for it any more
  const either = joinSignals([ending, isAnswered.signal])
  const over = pause(longestTimerMs, either.signal).finally(either.release)
  const away = over.then(() => pause(graceMs, isAnswered.signal)).then(() => 'away' as const)
  return Promise.race([answer, away])
}

async function overLostLines<Answer>(
  ending: AbortSignal,
  ask: () => Promise<Answer>,
): Promise<Answer | 'away'> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask()
    } catch (error) {
      if (!isLineLost(error)) throw error
      if (ending.aborted) return 'away'
      if (tries >= mostTries) throw error
      await pause(retryMs, ending)
    }
  }
}
