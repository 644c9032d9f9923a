import { decodeShownFieldValue } from '../wire/decode-table.ts'
import { endOfValue, matchNames, valueOfEntry } from '../wire/name-matcher.ts'
import { integerOf, textOf } from './header-values.ts'
import { warrenHeaders } from './warren-headers.ts'

/** Why a message failed, as whoever parked it wrote down. */
export interface Failure {
  readonly errorType: string | undefined
  readonly errorMessage: string | undefined
  readonly statusCode: number | undefined
  readonly reason: string | undefined
  /** The queue that the message failed in. */
  readonly queue: string | undefined
}

/** Per field the headers that tell it, the best first. */
const sources: readonly (readonly string[])[] = [
  [
    warrenHeaders.errorType,
    'NServiceBus.ExceptionInfo.ExceptionType',
    'MT-Fault-ExceptionType',
    'exception-type',
  ],
  [
    warrenHeaders.finalError,
    'NServiceBus.ExceptionInfo.Message',
    'MT-Fault-Message',
    'x-exception-message',
    'exception-message',
  ],
  [warrenHeaders.finalStatusCode],
  [warrenHeaders.reason],
  [warrenHeaders.originalQueue, 'NServiceBus.FailedQ'],
]

const ranks = 8
const rankOf = matchNames({
  names: new Map(
    sources.flatMap((names, field) => names.map((name, rank) => [name, field * ranks + rank] as const)),
  ),
})

/** Per field of a failure, in the order of `sources`, the offset of the best value there is, or -1. */
export type FailurePlaces = readonly number[]

/** The field whose text differs from message to message. */
export const messageField = 1

/** Reads what Warren, the reference systems and well-known frameworks write when they park a message. */
export function readFailure(headers: Buffer, places: FailurePlaces): Failure {
  const [errorType, errorMessage, statusCode, reason, queue] = places
  return {
    errorType: readText(headers, errorType!),
    errorMessage: readText(headers, errorMessage!),
    statusCode: statusCode! < 0 ? undefined : integerOf(readValue(headers, statusCode!)),
    reason: readText(headers, reason!),
    queue: readText(headers, queue!),
  }
}

/** Where a failure is written down. One walk over the names answers all. */
export function findFailure(headers: Buffer): FailurePlaces {
  const offsets = [-1, -1, -1, -1, -1]
  const best = [ranks, ranks, ranks, ranks, ranks]
  for (let at = 0; at < headers.length; ) {
    const valueAt = valueOfEntry(headers, at)
    const found = rankOf(headers, at)
    if (found >= 0) {
      const field = Math.floor(found / ranks)
      const rank = found % ranks
      if (rank < best[field]!) {
        best[field] = rank
        offsets[field] = valueAt
      }
    }
    at = endOfValue(headers, valueAt)
  }
  return offsets
}

function readText(headers: Buffer, at: number): string | undefined {
  return at < 0 ? undefined : textOf(readValue(headers, at)) || undefined
}

function readValue(headers: Buffer, at: number): ReturnType<typeof decodeShownFieldValue> {
  return decodeShownFieldValue(headers.subarray(at, endOfValue(headers, at)))
}
