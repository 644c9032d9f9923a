import { type Clock, realClock } from '../../clock.ts'
import { InvalidArgumentError } from '../../errors.ts'
import { refuseUnknown } from '../../message/refuse-unknown.ts'
import type { Middleware } from '../handler.ts'
import { defer } from '../handler-answer.ts'

/**
 * Starts at most `perSecond` handlers a second, evenly spread. A waiting message occupies its place; its `timeout` begins
 * when its wait is over.
 * @example
 * ```ts
 * await warren.consume('orders', save, { middleware: [throttle({ perSecond: 50 })] })
 * ```
 */
export function throttle(options: { readonly perSecond: number; readonly clock?: Clock }): Middleware {
  refuseUnknown('throttle()', options, { perSecond: true, clock: true })
  const { perSecond, clock = realClock } = options
  if (!(perSecond > 0)) throw new InvalidArgumentError(`perSecond is ${perSecond}; it must be above 0.`)
  const takeTurn = createPace(1000 / perSecond, clock)
  return (next) => async (message, context) => {
    const begin = context.waits?.()
    await takeTurn(context.signal)
    context.signal.throwIfAborted()
    // Given back if it would no longer have all of its time; that costs no attempt.
    if (begin?.() === false) return defer(0)
    return next(message, context)
  }
}

/** Resolves when it is somebody's turn, or with the signal: then the turn goes to the next one. */
function createPace(gapMs: number, clock: Clock): (signal: AbortSignal) => Promise<void> {
  const waiting: (() => void)[] = []
  let nextMs = 0
  let isTimed = false

  function letNextGo(): void {
    isTimed = false
    const go = waiting.shift()
    if (!go) return
    nextMs += gapMs
    go()
    waitForTurn()
  }

  function waitForTurn(): void {
    if (isTimed || waiting.length === 0) return
    isTimed = true
    clock.schedule(Math.max(0, nextMs - clock.now()), letNextGo)
  }

  return (signal) => {
    const nowMs = clock.now()
    if (signal.aborted) return Promise.resolve()
    if (waiting.length === 0 && nextMs <= nowMs) {
      nextMs = nowMs + gapMs
      return Promise.resolve()
    }
    return new Promise((resolve) => {
      const done = (): void => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = (): void => {
        waiting.splice(waiting.indexOf(done), 1)
        done()
      }
      signal.addEventListener('abort', leave, { once: true })
      waiting.push(done)
      waitForTurn()
    })
  }
}
