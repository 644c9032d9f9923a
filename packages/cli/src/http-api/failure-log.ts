import type { FastifyBaseLogger } from 'fastify'
import { WarrenError } from 'warrenmq'
import { type Clock, realClock } from 'warrenmq/operations'

/** What the log has of an error. Ours say in a sentence what is wrong; where one was made tells nobody anything. */
export function describeFailure(error: unknown): object {
  return error instanceof WarrenError ? { code: error.code, problem: error.message } : { err: error }
}

/** How long the same is not told again. */
const quietMs = 10 * 60_000

/**
 * Tells what the server fails to do over and over, such as reading a broker that is away: once, again when it is
 * something else, and every ten minutes as long as it lasts.
 */
export function createFailureLog(
  log: Pick<FastifyBaseLogger, 'warn' | 'error'>,
  { level, sentence }: { readonly level: 'warn' | 'error'; readonly sentence: string },
  clock: Pick<Clock, 'now'> = realClock,
): (error: unknown) => void {
  const toldAt = new Map<string, number>()
  return (error) => {
    const now = clock.now()
    for (const [what, at] of toldAt) if (now - at >= quietMs) toldAt.delete(what)
    const what = String(error)
    if (toldAt.has(what)) return
    toldAt.set(what, now)
    log[level](describeFailure(error), sentence)
  }
}
