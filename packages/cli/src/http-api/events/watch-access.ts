import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiContext } from '../api-context.ts'
import type { Caller } from '../auth/caller.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import { checkAccess } from '../guards/check-access.ts'
import { problemOf } from '../problems.ts'

export interface WatchedStream {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly needs: Endpoint['needs']
  /** Throws, or gives false, where the caller may not read on. */
  readonly mayReadOn: (caller: Caller) => boolean
}

/** A stream may be open for days: whoever may not open it any more is not to read on. Tells whether that is so. */
export function watchAccess(
  context: ApiContext,
  { request, reply, needs, mayReadOn }: WatchedStream,
): () => boolean {
  let isRefused = false
  const look = async (): Promise<void> => {
    try {
      isRefused = !mayReadOn((await checkAccess(context, request, needs))!)
    } catch (error) {
      // That nobody can tell now is no refusal.
      isRefused = problemOf(error).status < 500
    }
  }
  const timer = setInterval(() => void look(), context.settings.sessionRecheckMs).unref()
  reply.raw.once('close', () => clearInterval(timer))
  return () => isRefused
}

/** What they had last, as a browser says it that comes back. */
export function lastIdOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const id = headers['last-event-id']
  return typeof id === 'string' ? id : undefined
}
