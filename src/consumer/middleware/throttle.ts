import { type Clock, realClock } from '../../clock.ts'
import { InvalidArgumentError } from '../../errors.ts'
import type { Middleware } from '../handler.ts'
import { pause } from '../pause.ts'

/** Starts at most so many handlers a second, evenly spread. A waiting message occupies its place. */
export function throttle({
  perSecond,
  clock = realClock,
}: {
  readonly perSecond: number
  readonly clock?: Clock
}): Middleware {
  if (!(perSecond > 0)) throw new InvalidArgumentError(`perSecond is ${perSecond}; it must be above 0.`)
  const gapMs = 1000 / perSecond
  let nextMs = 0
  return (next) => async (message, context) => {
    const nowMs = clock.now()
    const startMs = Math.max(nowMs, nextMs)
    nextMs = startMs + gapMs
    if (startMs > nowMs) await pause(startMs - nowMs, { clock, signal: context.signal })
    context.signal.throwIfAborted()
    return next(message, context)
  }
}
