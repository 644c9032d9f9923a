import type { IncomingMessage } from '../../broker/amqp/message.ts'
import type { Broker } from '../../broker/broker.ts'
import { parseDuration } from '../../message/duration.ts'
import { dateNow } from '../../world.ts'
import { messageFilter } from '../read/message-filter.ts'
import { messageKey } from '../read/message-key.ts'
import { parseFilter } from '../read/parse-filter.ts'
import type { ChosenRequest } from '../request/requests.ts'

/** Who asks, and which broker. */
export interface RequestContext extends Broker {
  /** Who asks: receipts and messages keep the name. */
  readonly by: string
  /** The key of a message as who asks knows it. @default messageKey */
  readonly keyOf?: ((message: IncomingMessage) => string) | undefined
}

/** The options that all work on a queue shares, from any request. */
export interface CompiledLook extends RequestContext {
  /** The queue to look into. */
  readonly queue: string
  /** Look even though the queue counts each return against a limit. */
  readonly acceptDeliveryLimit: boolean
  /** How long messages are held at most, in milliseconds; undefined: as long as the queue allows. */
  readonly maxHoldMs?: number
  /** Whether a message is one of those that were asked for. */
  readonly select: (message: IncomingMessage) => boolean
  /** How many of the requested keys no message had that `select` has seen. */
  readonly missingKeys: () => number
}

/**
 * A request with its filter and its times read. Throws a sentence if one of them is not valid.
 * @example
 * ```ts
 * const look = compileLook({ queue: 'orders.dlq', where: 'cause:Timeout' }, { ...broker, by: 'ann' })
 * ```
 */
export function compileLook(request: ChosenRequest, context: RequestContext): CompiledLook {
  const { queue, where, keys, acceptDeliveryLimit = false, hold } = request
  const { consuming, publishing, management, by, keyOf = messageKey } = context
  const matches = where === undefined ? () => true : messageFilter(parseFilter(where), dateNow())
  return {
    consuming,
    publishing,
    management,
    by,
    queue,
    acceptDeliveryLimit,
    ...(hold !== undefined && { maxHoldMs: parseDuration(hold) }),
    ...(keys ? selectKeys(keys, keyOf, matches) : { select: matches, missingKeys: () => 0 }),
  }
}

function selectKeys(
  keys: readonly string[],
  keyOf: (message: IncomingMessage) => string,
  matches: CompiledLook['select'],
): Pick<CompiledLook, 'select' | 'missingKeys'> {
  const wanted = new Set(keys)
  const found = new Set<string>()
  return {
    select: (message) => {
      const key = keyOf(message)
      if (!wanted.has(key)) return false
      found.add(key)
      return matches(message)
    },
    missingKeys: () => wanted.size - found.size,
  }
}
