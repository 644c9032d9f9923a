import { InvalidArgumentError } from 'warrenmq'
import {
  ApiError,
  compileRedrive,
  isOwnQueue,
  parseRequest,
  type RedriveOptions,
  type RedriveRequest,
  redriveRequestSchema,
} from 'warrenmq/operations'
import type { ApiContext } from '../api-context.ts'
import type { Caller } from '../auth/caller.ts'
import { mayReadQueue } from '../auth/may-read-queue.ts'
import { refuseDangers } from '../guards/refuse-dangers.ts'
import { refuseHiddenFilter } from '../guards/refuse-hidden-fields.ts'

/** What recovery/ is to do for a request. Throws where the caller may not ask for it. */
export function redriveOptions(
  { broker, settings, nameMessage }: Pick<ApiContext, 'broker' | 'settings' | 'nameMessage'>,
  asked: RedriveRequest,
  caller: Caller,
): RedriveOptions {
  const request = readRequest(asked)
  refuseHiddenFilter(request.where, { caller, settings })
  refuseTarget(request.to ?? 'origin', caller)
  refuseDangers(request, caller)
  const { consuming, publishing, management, types } = broker
  return compileRedrive(request, {
    consuming,
    publishing,
    management,
    types,
    by: caller.name,
    keyOf: (message) => nameMessage(message, caller),
    flows: broker.topology?.flows ?? [],
  })
}

/** A task or an approval may be of a server of another version, whose requests are not ours. */
function readRequest(asked: RedriveRequest): RedriveRequest {
  try {
    return parseRequest('The re-drive', asked, redriveRequestSchema)
  } catch (cause) {
    if (!(cause instanceof InvalidArgumentError)) throw cause
    throw new ApiError({ code: 'API_REQUEST_INVALID', message: cause.message }, { cause })
  }
}

/** Messages are published with the server's account, so whoever names a queue must be one to whom it is open. */
function refuseTarget(to: NonNullable<RedriveRequest['to']>, caller: Caller): void {
  if (to === 'origin' || to === 'retry' || to === 'exchange') return
  const queue = typeof to === 'string' ? to : to.queue
  if (isOwnQueue(queue)) {
    const message = `"${queue}" is where Warren keeps its own records. Name another queue.`
    throw new ApiError({ code: 'API_FORBIDDEN', message })
  }
  if (caller.role === 'admin' && mayReadQueue(caller, queue)) return
  throw new ApiError({
    code: 'API_FORBIDDEN',
    message: `Only an admin who may read "${queue}" in RabbitMQ can send dead letters there. Leave "to" out to send each back to where it failed.`,
  })
}
