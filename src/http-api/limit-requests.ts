import type { FastifyInstance } from 'fastify'
import { ApiError } from '../errors.ts'

/** Answers 503 beyond so many requests at once, rather than getting slower for all. */
export function limitRequests(app: FastifyInstance, most: number): void {
  let underWay = 0
  app.addHook('onRequest', async (_request, { raw }) => {
    underWay += 1
    let isOver = false
    const leave = (): void => {
      if (!isOver) underWay -= 1
      isOver = true
    }
    // A response that the client breaks off is closed and never finished.
    raw.once('finish', leave).once('close', leave)
    if (underWay <= most) return
    const message = 'The server is busy. Try again in a moment.'
    throw new ApiError({ code: 'API_BUSY', message, retryAfterSeconds: 1 })
  })
}
