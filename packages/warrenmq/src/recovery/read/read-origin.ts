import type { IncomingMessage } from '../../broker/amqp/message.ts'
import { type EncodedHeaders, headerText } from '../../message/header-values.ts'
import { isHop } from '../../message/is-hop.ts'
import { originalAddress, readDeaths } from '../../message/read-deaths.ts'
import { warrenHeaders } from '../../message/warren-headers.ts'
import { readProperty } from '../../wire/properties.ts'
import { readFirstAddress } from '../put-back/keep-address.ts'

/** The queue a dead letter failed in, and how that is known. */
export interface Origin {
  readonly queue: string
  readonly source: 'x-original-queue' | 'x-first-death-queue' | 'x-death'
}

/** Reads where a dead letter failed; queues for which `isPassage` holds (wait queues, the DLQ) do not count. */
export function readOriginQueue(
  headers: EncodedHeaders,
  isPassage: (queue: string) => boolean,
): Origin | undefined {
  // Anybody can publish the header; the broker itself says where a message died first.
  const first = headerText(headers, 'x-first-death-queue')
  if (first !== undefined && !isPassage(first)) return { queue: first, source: 'x-first-death-queue' }
  const written = headerText(headers, warrenHeaders.originalQueue)
  if (written !== undefined && !isPassage(written)) return { queue: written, source: 'x-original-queue' }
  const died = readDeaths(headers).deaths.find(({ queue }) => !isPassage(queue))
  return died && { queue: died.queue, source: 'x-death' }
}

/**
 * Where a dead letter was first published. The broker's word counts more than a header, unless the message died first
 * on a way it was sent on (`isHop`), or in a queue for which `isPassage` holds.
 */
export function readOriginAddress(
  headers: EncodedHeaders,
  isPassage: (queue: string) => boolean = () => false,
): { readonly exchange: string; readonly key: string; readonly source: string } | undefined {
  const exchange = headerText(headers, warrenHeaders.originalExchange)
  const key = headerText(headers, warrenHeaders.originalRoutingKey)
  const written =
    exchange === undefined || key === undefined
      ? undefined
      : { exchange, key, source: 'x-original-exchange and -routing-key' }
  const told = headers && readFirstAddress(headers)
  if (told && !(written && (isPassage(told.queue) || isHop(told, headers))))
    return { exchange: told.exchange, key: told.key, source: 'x-death' }
  if (written) return written
  const address = originalAddress(readDeaths(headers))
  return address && { exchange: address.exchange, key: address.routingKey, source: 'x-death' }
}

/**
 * The same for every message: one whose headers say nothing was published as it is in its queue.
 * @example
 * ```ts
 * const { exchange, key } = addressOf(message)
 * ```
 */
export function addressOf({ properties, exchange, routingKey }: IncomingMessage): {
  readonly exchange: string
  readonly key: string
} {
  return readOriginAddress(readProperty(properties, 'headers')) ?? { exchange, key: routingKey }
}
