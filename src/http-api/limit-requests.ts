import { EventEmitter, once } from 'node:events'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../errors.ts'
import { endpoints } from './endpoints.ts'

export interface RequestCount {
  /** Resolves when no request is under way, or when that takes too long. */
  whenIdle(mostMs: number): Promise<void>
}

/** Asked by what kills a server that does not answer, which one that is merely busy must survive. */
const probes: readonly (string | undefined)[] = [endpoints.isAlive.path, endpoints.isReady.path]

/** Answers 503 beyond so many requests at once, rather than getting slower for all. */
export function limitRequests(app: FastifyInstance, most: number): RequestCount {
  let underWay = 0
  const idle = new EventEmitter()
  app.addHook('onRequest', async ({ routeOptions }, { raw }) => {
    if (probes.includes(routeOptions.url)) return
    underWay += 1
    let isOver = false
    const leave = (): void => {
      if (!isOver) underWay -= 1
      isOver = true
      if (underWay === 0) idle.emit('idle')
    }
    // A response that the client breaks off is closed and never finished.
    raw.once('finish', leave).once('close', leave)
    if (underWay <= most) return
    const message = 'The server is busy. Try again in a moment.'
    throw new ApiError({ code: 'API_BUSY', message, retryAfterSeconds: 1 })
  })
  return {
    whenIdle: async (mostMs) => {
      if (underWay === 0) return
      const soon = { signal: AbortSignal.timeout(mostMs) }
      await once(idle, 'idle', soon).catch(() => undefined) // it took too long, which is an answer as well
    },
  }
}
