import { type EncodedHeaders, headerText } from '../message/header-values.ts'
import { originalAddress, readDeaths } from '../message/read-deaths.ts'
import { warrenHeaders } from '../message/warren-headers.ts'

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
  const written = headerText(headers, warrenHeaders.originalQueue)
  if (written !== undefined && !isPassage(written)) return { queue: written, source: 'x-original-queue' }
  const first = headerText(headers, 'x-first-death-queue')
  if (first !== undefined && !isPassage(first)) return { queue: first, source: 'x-first-death-queue' }
  const died = readDeaths(headers).deaths.find(({ queue }) => !isPassage(queue))
  return died && { queue: died.queue, source: 'x-death' }
}

/** Where a dead letter was first published. */
export function readOriginAddress(
  headers: EncodedHeaders,
): { readonly exchange: string; readonly key: string; readonly source: string } | undefined {
  const exchange = headerText(headers, warrenHeaders.originalExchange)
  const key = headerText(headers, warrenHeaders.originalRoutingKey)
  if (exchange !== undefined && key !== undefined)
    return { exchange, key, source: 'x-original-exchange and -routing-key' }
  const address = originalAddress(readDeaths(headers))
  return address && { exchange: address.exchange, key: address.routingKey, source: 'x-death' }
}
