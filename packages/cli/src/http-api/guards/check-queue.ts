import type { FastifyRequest } from 'fastify'
import { ApiError, isOwnQueue } from 'warrenmq/operations'
import type { ApiContext } from '../api-context.ts'
import { type AuditedCall, writeAudit } from '../audit/write-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { mayReadQueue } from '../auth/may-read-queue.ts'
import type { Endpoint } from '../contract/endpoint.ts'

interface QueueCall {
  readonly caller: Caller
  readonly request: AuditedCall['request'] & Pick<FastifyRequest, 'method' | 'routeOptions'>
}

/**
 * Throws where the caller may not work on the queue: one that they may not read in RabbitMQ, and one that is no
 * dead-letter queue. Of the latter nobody is told whether it exists. Who wants to change something there is written down.
 */
export async function checkQueue(
  context: Pick<ApiContext, 'dlqs' | 'settings' | 'audit'>,
  { caller, request }: QueueCall,
  queue: string,
  { takesDlqsOnly }: Pick<Endpoint, 'takesDlqsOnly'> = {},
): Promise<void> {
  const { method, routeOptions } = request
  const isChange = method !== 'GET' && method !== 'HEAD'
  try {
    if (!mayReadQueue(caller, queue)) throw notReadable(queue)
    if (takesDlqsOnly || !mayUseAnyQueue(context, caller) || isOwnQueue(queue))
      await context.dlqs.require(queue, { isChange })
  } catch (error) {
    if (isChange && error instanceof ApiError) {
      const target = `${method} ${routeOptions.url ?? ''} ${queue}`
      await writeAudit(context, { caller, request }, { action: 'refused', target, result: error.code })
    }
    throw error
  }
}

function mayUseAnyQueue({ settings }: Pick<ApiContext, 'settings'>, { role }: Caller): boolean {
  return settings.anyQueueRoles.includes(role)
}

function notReadable(queue: string): ApiError {
  const message = `Your account has no read permission for the queue "${queue}" in RabbitMQ. Ask for it there.`
  return new ApiError({ code: 'API_FORBIDDEN', message })
}
