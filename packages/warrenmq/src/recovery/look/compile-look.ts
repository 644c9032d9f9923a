import type { IncomingMessage } from '../../broker/amqp/message.ts'
import type { Broker } from '../../broker/broker.ts'
import { parseDuration } from '../../message/duration.ts'
import { dateNow } from '../../world.ts'
import { messageFilter } from '../read/message-filter.ts'
import { parseFilter } from '../read/parse-filter.ts'
import type { QueueRequest } from '../request/requests.ts'

/** Who asks, and which broker. */
export interface RequestContext extends Broker {
  readonly by: string
}

/** The options that all work on a queue shares, from any request. */
export interface CompiledLook extends RequestContext {
  readonly queue: string
  readonly acceptDeliveryLimit: boolean
  readonly maxHoldMs?: number
  /** Whether a message is one of those that were asked for. */
  readonly select: (message: IncomingMessage) => boolean
}

/** A request with its filter and its times read. Throws a sentence if one of them is not valid. */
export function compileLook(request: QueueRequest, context: RequestContext): CompiledLook {
  const { queue, where, acceptDeliveryLimit = false, hold } = request
  const { consuming, publishing, management, by } = context
  return {
    consuming,
    publishing,
    management,
    by,
    queue,
    acceptDeliveryLimit,
    ...(hold !== undefined && { maxHoldMs: parseDuration(hold) }),
    select: where === undefined ? () => true : messageFilter(parseFilter(where), dateNow()),
  }
}
