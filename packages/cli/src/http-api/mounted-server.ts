import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { createOpenResponses } from './open-responses.ts'

/** The admin API and the console as a part of another HTTP server, which listens. */
export interface MountedServer {
  /** Answers a request. Its URL begins behind the path that the console is mounted at. */
  handle(request: IncomingMessage, response: ServerResponse): void
  /** Ends its tasks with their receipts, then the answers that are still open, such as streams. */
  close(): Promise<void>
}

export function mountServer(app: FastifyInstance): MountedServer {
  const open = createOpenResponses()
  return {
    handle: (request, response) => {
      open.add(request, response)
      app.routing(request, response)
    },
    close: async () => {
      await app.close()
      // The connections are another's, and a stream would keep its own for ever.
      open.destroy()
    },
  }
}
