import type { FastifyReply } from 'fastify'
import { ApiError } from 'warrenmq/operations'
import type { ServerBroker } from '../server-broker.ts'

/**
 * Throws while the broker is away. A channel would be waited for without end, and what was asked for would be done
 * when whoever asked is long gone.
 */
export function refuseWithoutBroker({
  consuming,
  publishing,
}: Pick<ServerBroker, 'consuming' | 'publishing'>): void {
  if (consuming.connection && publishing.connection) return
  const message = 'The server is not connected to RabbitMQ right now, so nothing was done. Try again.'
  throw new ApiError({ code: 'API_BUSY', message, retryAfterSeconds: 5 })
}

/** Throws where nobody waits for the answer any more; they may have asked again, or decided otherwise. */
export function refuseWithoutClient(reply: Pick<FastifyReply, 'raw'> | undefined): void {
  if (reply?.raw.destroyed) throw goneError()
}

/** Told to nobody but the log. */
export function goneError(): ApiError {
  const message = 'The client did not wait for the answer, so nothing was done.'
  return new ApiError({ code: 'API_BUSY', message })
}
