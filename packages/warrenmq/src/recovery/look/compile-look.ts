import type { IncomingMessage } from '../../broker/amqp/message.ts'
import type { Broker } from '../../broker/broker.ts'
import { parseDuration } from '../../message/duration.ts'
import { messageFilter } from '../read/message-filter.ts'
import { messageKey } from '../read/message-key.ts'
import { parseFilter } from '../read/parse-filter.ts'
import type { ChosenRequest } from '../request/requests.ts'

/** Who asks, and of which broker. */
export interface RequestContext extends Broker {
  readonly by: string
  /** The key of a message as who asks knows it. @default messageKey */
  readonly keyOf?: ((message: IncomingMessage) => string) | undefined
}

/** What every work on a queue is told, of any request. */
export interface CompiledLook extends RequestContext {
  readonly queue: string
  readonly acceptDeliveryLimit: boolean
  readonly maxHoldMs?: number
  /** Whether a message is one of those that were asked for. */
  readonly select: (message: IncomingMessage) => boolean
  /** Of the keys that were asked for, so many were not among the messages that `select` was asked about. */
  readonly missingKeys: () => number
}

/** A request with its filter and its times read. Throws a sentence where one cannot be. */
export function compileLook(request: ChosenRequest, context: RequestContext): CompiledLook {
  const { queue, where, keys, acceptDeliveryLimit = false, hold } = request
  const { consuming, publishing, management, by, keyOf = messageKey } = context
  const matches = where === undefined ? () => true : messageFilter(parseFilter(where), Date.now())
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
