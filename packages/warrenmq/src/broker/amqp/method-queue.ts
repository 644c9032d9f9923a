import type { Method } from '../../wire/method-specs.ts'

/** Answers on channel 0, handed out in order to whoever waits for the next one. */
export interface MethodQueue {
  push(method: Method): void
  next(): Promise<Method>
  /** Does anybody wait for an answer? Who gave up still does: a late answer must not be taken for another one. */
  isAwaited(): boolean
  /** What arrived and nobody waited for. */
  takeAll(): readonly Method[]
  /** Everybody who waits now or later is told. */
  fail(error: Error): void
}

/** More than a handshake ever needs: a peer that talks on and on is not listened to. */
const maxWaiting = 16

export function createMethodQueue(): MethodQueue {
  const arrived: Method[] = []
  const waiting: { resolve: (method: Method) => void; reject: (error: Error) => void }[] = []
  let failure: Error | undefined

  return {
    push: (method) => {
      const next = waiting.shift()
      if (next) next.resolve(method)
      else if (arrived.length < maxWaiting) arrived.push(method)
    },
    next: () => {
      const method = arrived.shift()
      if (method) return Promise.resolve(method)
      if (failure) return Promise.reject(failure)
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }))
    },
    isAwaited() {
      return waiting.length > 0
    },
    takeAll: () => arrived.splice(0),
    fail: (error) => {
      failure = error
      for (const next of waiting.splice(0)) next.reject(error)
    },
  }
}
