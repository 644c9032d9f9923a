import { ApiError, type Destination, isOwnQueue, type RedriveOptions } from 'warrenmq/operations'
import type { ApiContext } from '../api-context.ts'
import type { Caller } from '../auth/caller.ts'
import { mayReadQueue } from '../auth/may-read-queue.ts'
import type { RedriveRequest } from '../contract/contract.ts'
import { selectFor } from '../dlqs/select-for.ts'

/** What recovery/ is to do for a request. Throws where the caller may not ask for it. */
export function redriveOptions(
  { line, settings }: Pick<ApiContext, 'line' | 'settings'>,
  asked: RedriveRequest,
  caller: Caller,
): RedriveOptions {
  const { queue, to = 'origin', attempts, where, limit, ratePerSecond, reason } = asked
  const select = selectFor({ settings }, caller, where)
  return {
    ...{ consuming: line.consuming, publishing: line.publishing, management: line.management },
    ...{ queue, by: caller.name, to: destinationOf(to, caller), flows: line.topology?.flows ?? [] },
    types: line.types,
    // Who can name a target may do that; nobody else decides that strangers tell the truth.
    trustHeaders: false,
    ...(attempts !== undefined && { attempts }),
    ...(select && { select }),
    ...(limit !== undefined && { limit }),
    ...(ratePerSecond !== undefined && { ratePerSecond }),
    ...(reason !== undefined && { reason }),
  }
}

/** Messages are published with the server's account, so whoever names a queue must be one to whom it is open. */
function destinationOf(to: string, caller: Caller): Destination {
  if (to === 'origin' || to === 'retry' || to === 'exchange') return { kind: to }
  if (isOwnQueue(to)) {
    const message = `"${to}" is where Warren keeps its own records. Name another queue.`
    throw new ApiError({ code: 'API_FORBIDDEN', message })
  }
  if (caller.role === 'admin' && mayReadQueue(caller, to)) return { kind: 'queue', queue: to }
  throw new ApiError({
    code: 'API_FORBIDDEN',
    message: `To send dead letters to "${to}" takes an admin who may read it in RabbitMQ. Leave "to" out to send each back to where it failed.`,
  })
}
